"""Recordings: sessions as JSON Lines, without the withheld values."""
