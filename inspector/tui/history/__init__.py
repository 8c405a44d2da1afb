"""The calls of tools of this run and of earlier ones."""
