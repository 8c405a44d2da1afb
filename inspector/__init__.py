"""Sightline: see what the model sees.

Importing this package loads nothing else: `sightline` imports only the command in use.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
