"""Rules that compare what was declared with what was done."""
