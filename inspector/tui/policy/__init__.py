"""The policy check before a call, and its dialogs."""
