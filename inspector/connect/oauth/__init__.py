"""Authorization by OAuth. All but `auth` and `held` is imported when a server asks for it."""
