"""Interfaces of MCP Apps: what they may reach, what they ask for, and what they send to the model."""
