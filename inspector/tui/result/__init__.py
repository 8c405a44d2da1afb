"""The result pane: what the server sent, and what the model sees."""
