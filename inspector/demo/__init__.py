"""The built-in server: a small team workspace that uses every vocabulary."""
