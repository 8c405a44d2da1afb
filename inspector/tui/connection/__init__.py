"""The session in use, as the screens see it."""
