"""Secret references in results: finds them, redeems them (fetches the secret), and keeps the values."""
