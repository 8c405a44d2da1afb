"""A tool of a page."""
