"""The call form and the running call."""
