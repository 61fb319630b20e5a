"""Mentions and entities as vectors: the bi-encoder and its training."""
