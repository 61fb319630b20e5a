"""Dumps of Wikipedia and Wikidata: what is taken from them, wikitext as plain text, records joined by their ids."""
