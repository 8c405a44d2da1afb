"""View models: pure functions from data to content for widgets."""
