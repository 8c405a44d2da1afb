"""What an agent session has taken in, and what a server may be told of it."""
