"""WebMCP pages: their documents, their tools, and the part of a declaration that the browser keeps."""
