"""Policy checks before a call, and the dialog that asks."""
