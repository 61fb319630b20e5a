"""Figures of rankings of labels."""
