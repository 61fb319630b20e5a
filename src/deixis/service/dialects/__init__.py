"""APIs of other services on the same port: one module per dialect, each with `router(state)`."""
