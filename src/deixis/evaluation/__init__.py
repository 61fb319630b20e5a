"""Gold against predicted: metrics, intervals, result rows. Never imports a model."""
