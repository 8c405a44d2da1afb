"""Interfaces of MCP Apps: the origins that they may reach, their messages, and what they send to the model."""
