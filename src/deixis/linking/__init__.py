"""The model of a linker (data), and the pipeline that links with it (one function). Knows nothing of training."""
