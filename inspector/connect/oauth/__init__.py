"""Authorization by OAuth.

Modules other than `auth` and `held` are imported when a server requires authorization.
"""
