"""Sightline: see what the model sees.

Importing this package costs nothing: `sightline` picks the one command it needs.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
