"""NIF: documents and links in Turtle."""
