"""Extreme multi-label ranking, on matrices: label trees, linear rankers, beam search."""
