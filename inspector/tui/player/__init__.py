"""The player: shows a recording on the main screen, at any position."""
