"""Documents with labels of a vocabulary, in and out: texts or rows of features, one module per file format."""
