"""The player: the main screen on a recording."""
