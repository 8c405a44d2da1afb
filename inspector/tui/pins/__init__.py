"""Pinned definitions and what changed."""
