"""The whole walk from text to links: training the stations in order, and the linker."""
