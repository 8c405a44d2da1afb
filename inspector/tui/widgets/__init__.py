"""Widgets and texts that several features use."""
