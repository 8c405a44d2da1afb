"""The screen about secrets: references to reveal, and withheld values."""
