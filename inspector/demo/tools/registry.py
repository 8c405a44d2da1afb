"""All tools, in the order in which they are listed."""

from inspector.demo.tools import credentials, files, hostile, mail, people, plain, projects

TOOLS = (
    *plain.TOOLS,
    *credentials.TOOLS,
    *mail.TOOLS,
    *projects.TOOLS,
    *people.TOOLS,
    *files.TOOLS,
    *hostile.TOOLS,
)
