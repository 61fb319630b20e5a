"""Station 2, candidates to ranked candidates."""
