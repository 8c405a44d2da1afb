"""Performance measurements: `make bench`."""
