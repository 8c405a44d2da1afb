"""What is known of names that collide."""

NAME_TAKEN = "the name is taken by an earlier tool"
"""The reason that a catalogue gives for a tool whose name another has."""
