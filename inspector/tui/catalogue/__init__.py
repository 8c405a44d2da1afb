"""The catalogue of tools, resources and prompts."""
