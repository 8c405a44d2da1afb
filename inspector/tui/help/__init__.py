"""The help screen, with all keys and a legend."""
