"""Secret references: reading them, deciding where they may be redeemed, and what an answer means."""
