"""A page in a browser as something to connect to: its tools, calls of them, and redemption inside of it."""
