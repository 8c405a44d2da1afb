"""Host profiles: the model's view of a bounded result in each host."""
