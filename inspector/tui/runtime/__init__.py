"""What the app runs on: worker threads, memory, the guard, leaving."""
