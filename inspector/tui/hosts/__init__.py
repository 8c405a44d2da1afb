"""The comparison of hosts."""
