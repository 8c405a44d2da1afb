"""Files on this machine: configuration, themes, packaged data."""
