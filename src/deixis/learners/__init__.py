"""Two small linear learners, logistic and listwise: arrays in, weights out, the same bytes every time."""
