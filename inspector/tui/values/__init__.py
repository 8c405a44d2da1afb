"""JSON values as an outline: one value, or two side by side, aligned by their pointers."""
