"""The error that tests get if the server fails."""


class McpServerError(Exception):
    """The server could not be started or reached, or gave no answer.

    It is not raised if a tool fails, because such a call has a result.
    """
