"""Saved calls, with expectations of results and of the model's view.

And recorded calls that are made again.
"""
