"""The command line: it writes data to stdout, and everything else to stderr."""
