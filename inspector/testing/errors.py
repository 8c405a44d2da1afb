"""The error that tests get if the server fails."""


class McpServerError(Exception):
    """The server could not be started or reached, or gave no answer.

    A tool that fails is a result, not an error.
    """
