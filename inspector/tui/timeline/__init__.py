"""The timeline, and frames as they were on the wire."""
