"""ELIAS: an index of clusters and labels learned with its encoder."""
