"""Watching: when a file is saved, Sightline restarts the server, repeats the last call and shows changes."""
