"""Saved calls with their expectations of results and model views, and recorded calls that are made again."""
