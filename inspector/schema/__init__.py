"""JSON Schema: sensitive positions, form fields, validation."""
