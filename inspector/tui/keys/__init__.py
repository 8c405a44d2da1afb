"""The table of keys, from which bindings, footer, help and palette are made."""
