"""The workspace as a web page that offers its tools with WebMCP, with a frame of another origin."""
