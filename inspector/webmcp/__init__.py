"""WebMCP pages: their documents, tools, and what the browser keeps of a declaration."""
