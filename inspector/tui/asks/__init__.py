"""The dialogs in which the user answers requests of a server."""
