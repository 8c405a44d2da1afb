"""What the performance goals are measured with: `make bench`."""
