"""The output formats of a review. Each module but `formats` and `safety` has `lines(report) -> list[str]`."""
