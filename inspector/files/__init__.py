"""Sightline's own files: configurations, settings, themes, paths."""
