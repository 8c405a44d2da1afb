"""The parts of the MCP SDK that carry messages over HTTP, imported without the rest of it.

Importing a package of the SDK imports all of the SDK, its servers and the models of every revision included,
which takes half a second. Here, the code of a package runs only when a name is read that the package does not
have yet. Other users of the SDK in this process find all of it.
"""

# ruff: noqa: E402 - the packages are replaced before anything is imported from them
import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType


class _Deferred(ModuleType):
    """A package whose own code has not run yet."""

    def __getattr__(self, name: str) -> object:
        spec = self.__spec__
        # The import system, pickle and others ask every module for names with two underscores.
        if (name.startswith("__") and name != "__all__") or spec is None or spec.loader is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__class__ = ModuleType  # pyright: ignore[reportAttributeAccessIssue]
        spec.loader.exec_module(self)
        return getattr(self, name)


def _defer(name: str) -> None:
    spec = None if name in sys.modules else find_spec(name)
    if spec is not None:
        module = module_from_spec(spec)
        module.__class__ = _Deferred
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)


_defer("mcp")
_defer("mcp.client")

from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import find_invalid_x_mcp_header, mcp_param_headers, x_mcp_header_map
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

__all__ = [
    "ClientMessageMetadata",
    "JSONRPCError",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResponse",
    "SessionMessage",
    "find_invalid_x_mcp_header",
    "mcp_param_headers",
    "sse_client",
    "streamable_http_client",
    "x_mcp_header_map",
]
