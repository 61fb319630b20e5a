"""Re-rankers: new scores for the best candidates."""
