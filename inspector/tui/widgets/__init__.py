"""Widgets draw what present/ gives and send messages."""
