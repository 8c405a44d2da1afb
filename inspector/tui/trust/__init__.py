"""The trust state of the agent session."""
