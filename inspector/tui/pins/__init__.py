"""The screen about pinned definitions and their changes."""
