"""Suites: where their data lies, how they are read and run, what should come out and where results are kept."""
