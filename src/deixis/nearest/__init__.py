"""Nearest neighbours: vectors in, the rows most like them out. Knows arrays, not mentions."""
