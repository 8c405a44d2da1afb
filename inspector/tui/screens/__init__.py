"""Screens turn messages into session calls."""
