"""Stage 1: text to spans, each with the log odds of being a mention."""
