"""Intervals, draws and tests that every figure shares."""
