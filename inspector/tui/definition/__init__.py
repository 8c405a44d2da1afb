"""The Definition tab: a definition as sent, and what a model is given of it."""
