"""The Claims tab: what a server declares about a tool."""
