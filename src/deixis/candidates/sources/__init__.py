"""Where candidates come from: one module per source."""
