"""A mention and a candidate read together: the cross-encoder and its training."""
