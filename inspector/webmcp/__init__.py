"""Pages that speak WebMCP: what the browser's events say, and what follows from them. Pure, as all of the core."""
