"""Text features: texts in, sparse rows out."""
