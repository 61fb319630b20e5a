"""Explanations of links: the trace of a run as records whose parts add up, and a view of the label tree."""
