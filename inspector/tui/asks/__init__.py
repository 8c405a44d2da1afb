"""The dialog in which the user answers what a server asks."""
