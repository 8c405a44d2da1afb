"""Interfaces of MCP Apps: HTML user interfaces that servers ship with tools.

The origins that they may reach, their messages, and what they send to the model.
"""
