"""Deixis's own JSON: one module per group of paths, each with `router(state)`."""
