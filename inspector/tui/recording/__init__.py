"""Recording and export."""
