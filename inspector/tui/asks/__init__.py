"""The dialogs in which the user answers requests by a server."""
