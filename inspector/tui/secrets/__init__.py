"""Secrets: references to reveal and withheld values."""
