"""Untrusted sources that an agent session has read, and what a server is told of them."""
