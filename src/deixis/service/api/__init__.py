"""Our own JSON over HTTP: its schema and its routes."""
