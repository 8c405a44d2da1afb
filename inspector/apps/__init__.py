"""Interfaces of MCP Apps: HTML user interfaces that servers ship with tools.

Determines which origins they may reach, reads their messages, and judges what they send to the model.
"""
