"""Figures of linked mentions."""
