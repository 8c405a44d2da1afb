"""One module for each family of boundary rules."""
