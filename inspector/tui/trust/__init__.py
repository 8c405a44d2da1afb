"""The Trust screen: the trust labels that answers added to the session, and the labels that servers get."""
