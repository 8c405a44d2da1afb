"""Saved calls: their expectations of results and of the model's view, and recorded calls that are made again."""
