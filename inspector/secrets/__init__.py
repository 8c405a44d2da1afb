"""Secret references: read them, redeem them, keep their values."""
