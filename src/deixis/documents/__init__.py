"""Documents and mentions, in and out: one module per file format."""
