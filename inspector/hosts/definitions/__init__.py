"""What a model is given of a tool's definition, and why it differs from what the server sent."""
