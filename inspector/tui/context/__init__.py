"""The screen about what reaches a model before its first call."""
