"""Deixis's own JSON API over HTTP: schema and routes."""
