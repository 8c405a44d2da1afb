"""One module for each host."""
