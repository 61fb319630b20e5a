"""Station 1, mention to candidates."""
