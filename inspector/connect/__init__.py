"""Connections to MCP servers over stdio, Streamable HTTP and HTTP+SSE."""
