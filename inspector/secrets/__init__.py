"""Secret references: reading them, keeping their values, redeeming them."""
