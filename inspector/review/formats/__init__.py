"""A review in each of its formats: one module each, with `lines(report) -> list[str]`."""
