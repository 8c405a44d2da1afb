"""Watching: on a save, Sightline restarts the server, repeats the last call and shows what changed."""
