"""The screen about a tool of a web page."""
