"""The HTTP service: a linker or labeller behind a port."""
