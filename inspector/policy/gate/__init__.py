"""The policy check before a tool call, and what the call leaves behind, over all servers of an agent session."""
