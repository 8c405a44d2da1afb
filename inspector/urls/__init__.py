"""Hosts and origins of URLs, compared as browsers compare them."""
