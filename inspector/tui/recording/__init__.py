"""Recording the session, and exporting it."""
