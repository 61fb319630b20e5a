"""Tasks shared by processes of this machine: one that dies is replaced. Knows no documents, no lists, no models."""
