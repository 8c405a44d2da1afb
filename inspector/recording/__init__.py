"""Recordings: sessions as lines that hold no withheld value, read back as if a stranger had written them."""
