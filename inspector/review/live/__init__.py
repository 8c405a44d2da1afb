"""The review of a session that goes on: findings as listings and results come in, and what the user accepts of them."""
