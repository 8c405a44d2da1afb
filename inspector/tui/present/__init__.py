"""Pure: models become content for widgets."""
