"""Knowledge base: entities, names, types, descriptions; one reader per source."""
