"""A knowledge base whose strings try everything that a page must not fall for."""

from __future__ import annotations

SCRIPT = '<script>window.pwned = "title"</script>'
IMAGE = "<img src=x onerror=\"window.pwned = 'image'\">"
RTL = "invoice\u202egpj.exe"

RECORDS = [
    {"id": "troy", "title": "Troy", "description": "Ancient city besieged by the Greeks for ten years.",
     "url": "https://example.org/troy"},
    {"id": "paris_city", "title": "Paris", "description": "Capital of France on the river Seine."},
    {"id": "paris_prince", "title": "Paris", "description": "Prince of Troy who carried Helen off."},
    {"id": SCRIPT, "title": SCRIPT, "aliases": ["Mallory"], "description": IMAGE,
     "url": "javascript:window.pwned='url'"},
    {"id": "rtl", "title": RTL, "aliases": ["Invoice"], "description": f"Looks like another file {IMAGE}",
     "url": "data:text/html,<script>window.pwned='data'</script>"},
    {"id": "\U0001f419", "title": "Octopus \U0001f419", "aliases": ["Octopus"], "description": "An animal of the sea."},
]  # fmt: skip
