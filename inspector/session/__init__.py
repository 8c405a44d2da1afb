"""Sessions with a target: connecting, listing, calling and replaying, for the command line and the screen."""
