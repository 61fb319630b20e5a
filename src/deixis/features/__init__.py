"""Text to sparse rows and comparable names."""
