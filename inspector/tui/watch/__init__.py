"""Watching: the server is started again on a save, the last call repeated, and what changed is shown."""
