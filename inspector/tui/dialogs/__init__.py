"""A dialog with fields."""
