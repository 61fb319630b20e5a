"""Small linear learners: arrays in, weights out, the same bytes every time."""
