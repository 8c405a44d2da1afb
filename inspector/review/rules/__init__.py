"""Review rules, one module per family, each with its `RULES`."""
