"""Pinned definitions of a server, and what changed since."""
