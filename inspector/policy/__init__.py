"""The policy: rules that allow or block a tool call, or ask the user first, and that judge the answer."""
