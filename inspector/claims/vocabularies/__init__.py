"""One module for each vocabulary of claims."""
