"""The security review of a server: findings about its declarations and its results."""
