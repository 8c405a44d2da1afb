"""The demo's tools by theme. `TOOLS` has all of them, in the order of the listing."""

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
