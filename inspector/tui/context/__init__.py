"""The screen that lists the texts that reach a model before its first call."""
