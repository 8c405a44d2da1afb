"""Rules that allow, confirm or block a tool call, and judge its answer."""
