"""Opens interfaces of MCP Apps, only when the user asks for it, and logs what they do."""
