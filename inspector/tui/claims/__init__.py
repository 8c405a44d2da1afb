"""The Claims tab."""
