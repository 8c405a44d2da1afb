"""Bounds on what one peer can make this program hold in memory."""

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Of one message: an HTTP body, a server-sent event, a line of stdio. A longer one ends the request that waits for it."""
