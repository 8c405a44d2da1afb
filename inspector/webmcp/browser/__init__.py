"""Starts Chromium, speaks its DevTools protocol, and connects to pages."""
