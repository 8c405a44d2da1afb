"""The screen about the trust of the agent session."""
