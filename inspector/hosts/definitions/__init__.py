"""The model's view of a tool definition, and its differences from the server's."""
