"""Encoders of mentions and entities, cross-encoders, and how they are trained. Torch lives only here."""
