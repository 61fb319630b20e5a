"""Deixis measured: suites of real data, systems to compare, speed, the service; results and the tables made of them."""
