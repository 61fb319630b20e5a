"""Re-rankers: another look at the best candidates."""
