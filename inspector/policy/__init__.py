"""Whether a call may leave, and what becomes of its answer: rules over facts."""
