"""Findings about what a server declares and does."""
