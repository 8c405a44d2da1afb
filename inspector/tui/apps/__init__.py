"""Interfaces of MCP Apps: opened on purpose, and watched."""
