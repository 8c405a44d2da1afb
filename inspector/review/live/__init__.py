"""The review of a running session, updated as listings and results arrive."""
