"""The history of tool calls, of this run and of earlier ones."""
