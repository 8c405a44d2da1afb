"""How much of one message is read before the connection is ended."""

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
