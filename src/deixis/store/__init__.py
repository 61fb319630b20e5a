"""Model store: one folder format (manifest, arrays, checksums), versions, string tables. Nothing is ever unpickled."""
