"""Chromium: starting it, its protocol, and pages as connections."""
