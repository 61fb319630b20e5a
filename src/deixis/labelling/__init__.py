"""Documents in, labels of a vocabulary out: features, an engine that ranks, and the model that holds them."""
