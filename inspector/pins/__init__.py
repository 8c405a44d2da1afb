"""What a server is known by, and what changed of it."""
