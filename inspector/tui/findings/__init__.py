"""Findings: the tab and the review screen."""
