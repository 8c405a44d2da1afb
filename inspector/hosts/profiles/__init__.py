"""One module for each host; adding one is adding one file."""
