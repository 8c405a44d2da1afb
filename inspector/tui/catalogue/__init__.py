"""The catalogue: the tools, resources, templates, prompts and skills of the servers."""
