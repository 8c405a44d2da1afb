"""Detection of text that looks like a credential."""
