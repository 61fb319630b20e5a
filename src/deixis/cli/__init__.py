"""The commands: one module each. The only room that prints."""
