"""The policy check before a tool call, and the judgement of its answer, across all servers of an agent session."""
