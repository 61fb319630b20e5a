"""Deixis inside other people's frameworks: thin skins over `Linker`."""
