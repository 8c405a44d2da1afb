"""JSON kept exactly as it was sent: parsing, pointers, walking, editing, differences, documents."""
