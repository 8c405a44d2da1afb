"""One module for each family of review rules."""
