"""JSON-RPC and MCP as data: frames, exchanges, the timeline, the catalogue, targets."""
