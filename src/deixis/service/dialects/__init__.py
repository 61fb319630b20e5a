"""What clients of other services speak, on the same port: one module per dialect, each with `router(state)`."""
