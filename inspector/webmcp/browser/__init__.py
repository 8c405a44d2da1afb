"""Chromium: start it, speak its protocol, connect to pages."""
