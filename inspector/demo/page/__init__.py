"""The workspace as a web page that offers its tools by WebMCP, with a frame of another origin."""
