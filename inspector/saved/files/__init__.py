"""Saved calls in a file that a person can write: `calls.toml`."""
