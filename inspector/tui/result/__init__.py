"""The result: what the server sent beside what the model sees."""
