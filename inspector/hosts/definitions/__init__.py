"""The definition of a tool as a model gets it, and how it differs from the server's."""
