"""Screens of the interface, and the parts of the main screen."""
