"""The workspace as a web page that offers its tools to agents by WebMCP, with a frame of another origin in it."""
