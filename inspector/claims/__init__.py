"""Claims: declarations of servers and pages about their tools and results, such as `readOnlyHint`."""
