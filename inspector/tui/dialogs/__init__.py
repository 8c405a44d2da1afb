"""A dialog that asks for a few inputs."""
