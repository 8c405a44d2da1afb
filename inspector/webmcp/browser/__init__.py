"""Starts Chromium, speaks its protocol, and connects to pages."""
