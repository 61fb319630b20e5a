"""BioC, as JSON and as XML."""
