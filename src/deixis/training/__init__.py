"""Model in, better model out: build, fit, calibrate, correct."""
