"""The compiled core: arrays in, arrays out, the GIL released. One .cpp per kernel."""
