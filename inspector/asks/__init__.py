"""Requests of a server to its client, and the answers: forms, URLs, sampling, roots."""
