"""Families of rules: each module is one, and has its `RULES`."""
