"""JSON values as an outline: one value, or two beside each other, aligned by their pointers."""
