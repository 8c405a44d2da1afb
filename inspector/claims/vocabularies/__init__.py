"""One module for each vocabulary of claims; adding one is adding one file."""
