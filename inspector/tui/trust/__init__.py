"""The Trust screen: the trust labels that answers added to the session, and those that servers get."""
