"""Use cases that the two front ends share: connect, list, call, replay."""
