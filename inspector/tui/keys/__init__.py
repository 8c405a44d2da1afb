"""The table of keys, and what is made from it: footer, help, palette."""
