"""The connection to a server, as the screens use it."""
