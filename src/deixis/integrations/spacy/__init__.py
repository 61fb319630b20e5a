"""The spaCy component `deixis`."""
