"""Benchmarks of quality: suites in YAML, the systems they compare, and what came out against what was expected."""
