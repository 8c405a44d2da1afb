"""The Trust screen: what answers added to the session's trust labels, and what servers may have learnt."""
