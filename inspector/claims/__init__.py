"""Declarations of servers and pages about their tools and results."""
