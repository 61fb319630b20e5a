"""Integrations with other frameworks: thin wrappers around `Linker`."""
