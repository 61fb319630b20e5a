"""Stages 4 and 6: ranked candidates to probabilities, which spans are mentions, link or NIL."""
