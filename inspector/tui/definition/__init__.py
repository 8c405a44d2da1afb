"""The Definition tab."""
