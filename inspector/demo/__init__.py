"""The built-in server: a small team workspace that uses every vocabulary and every kind of result.

It writes JSON-RPC itself, because the SDK drops the declarations that the demo is to show.
"""
