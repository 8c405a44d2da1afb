"""The base of the app: worker threads, garbage collection, protection of secrets, and the end of the program."""
