"""The errors of a test's server."""


class McpServerError(Exception):
    """The server could not be started or reached, or gave no answer.

    A tool that fails is a result, not an error.
    """
