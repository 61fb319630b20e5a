"""The reconciliation API of OpenRefine."""
