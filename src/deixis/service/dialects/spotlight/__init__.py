"""The API of DBpedia Spotlight."""
