"""Ranked candidates to probabilities: how sure a link is."""
