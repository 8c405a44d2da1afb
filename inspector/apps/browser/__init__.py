"""Opens an interface of MCP Apps in a Chromium of its own."""
