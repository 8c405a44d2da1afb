"""The Definition tab: a definition as the server sent it, and the part that a model gets."""
