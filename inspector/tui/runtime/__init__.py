"""What the app runs on: worker threads, garbage collection, the guard, leaving."""
