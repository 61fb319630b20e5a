"""Station 0, text to mentions."""
