"""Oversight: the one way from a wish to call to a call, over all servers of an agent session."""
