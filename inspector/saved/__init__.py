"""Saved calls: what they expect of results and of the model's view, and the calls of recordings sent again."""
