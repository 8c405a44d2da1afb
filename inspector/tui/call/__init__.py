"""The call form, and the call that runs."""
