"""The main screen on a recording."""
