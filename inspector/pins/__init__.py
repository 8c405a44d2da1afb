"""Pins: definitions of a server that the user has accepted, and the changes since then."""
