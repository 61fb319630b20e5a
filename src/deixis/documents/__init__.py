"""Documents and mentions, in and out: one module per file format.

`reading.read_documents` and `writing.write_documents` are the doors; `formats.READERS` names the formats.
"""
