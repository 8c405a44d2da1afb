"""The tools, in a few modules by theme; `registry` holds them all."""
