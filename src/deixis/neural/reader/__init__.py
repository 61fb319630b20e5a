"""The reader: finds and links the mentions of a passage in one go (BEER²)."""
