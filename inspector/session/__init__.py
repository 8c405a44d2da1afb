"""Use cases: connect, list, call. The command line and the interface both stand on this and on nothing below."""
