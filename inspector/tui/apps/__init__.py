"""Interfaces of MCP Apps. The user opens them explicitly, and Sightline logs what they do."""
