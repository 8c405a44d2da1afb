"""The screen that compares all hosts on one result."""
