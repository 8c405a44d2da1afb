"""Calls of tools in this run and in earlier ones, without secrets and without results."""
