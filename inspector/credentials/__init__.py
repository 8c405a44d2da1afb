"""Credential-shaped strings in text: the second layer, behind what declarations withhold."""
