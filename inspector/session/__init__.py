"""Use cases that both front ends share: connect, list, call, replay."""
