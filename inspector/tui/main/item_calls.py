"""Calls of the open item. If the connection has ended, Sightline connects again first."""

from functools import partial

from inspector.protocol.catalogue import Item, Kind, unlisted
from inspector.session.events import SessionState
from inspector.tui.call.runner import RepeatableCall
from inspector.tui.main.parts import MainParts
from inspector.tui.main.servers import ServerParts
from inspector.tui.text import content, shortened


class ItemCalls:
    """Calls, reads, gets and repeats items of the shown server."""

    def __init__(self, parts: MainParts, read_only: str) -> None:
        """`read_only`: the reason why no call can be made; empty for a live session."""
        self._parts = parts
        self._read_only = read_only

    def use(self, server: ServerParts, item: Item) -> None:
        """Read a resource, or get a prompt, that takes no arguments, and open it."""
        if self._connects_first(server, item.handle):
            server.restart(then=partial(self._use_if_shown, server, item))
        elif server.runner.read(item):
            server.selection.follow(item)

    def _use_if_shown(self, server: ServerParts, item: Item) -> None:
        if self._is_open(server, item.handle):
            self.use(server, item)

    def read(self, uri: str) -> None:
        """Read a resource, listed or not, and open it."""
        server = self._parts.server
        session = server.link.session
        item = unlisted(Kind.RESOURCE, uri)
        listed = session.catalogue.tool(item.handle) if session else None
        item = listed.item if listed and listed.item else item
        if server.runner.read(item):
            server.selection.follow(item)

    def submit(self, *, anyway: bool) -> None:
        """Call the open item with the arguments in its form.

        `anyway`: whether to send arguments that the schema does not allow.
        """
        server, tool = self._parts.server, self._parts.server.selection.tool
        if tool is None or not self._connects_first(server, tool.name):
            server.runner.submit(anyway=anyway)
            return

        def submit() -> None:
            if self._is_open(server, tool.name):
                server.runner.submit(anyway=anyway)

        server.restart(then=partial(server.selection.once_open, submit))

    def repeat(self) -> None:
        """Make the shown call again, or the last call of the open item."""
        server, record = self._parts.server, self._parts.server.selection.record
        call = server.runner.repeatable(record)
        if call is not None and self._connects_first(server, call.name):
            server.restart(then=partial(self._repeat_if_shown, server, call))
            return
        server.repeat(record)

    def _repeat_if_shown(self, server: ServerParts, call: RepeatableCall) -> None:
        """Make `call` again, unless the user has opened another item or call meanwhile.

        In that case, nothing is called, because `repeat` would make the call that is shown now.
        """
        if self._parts.server is server and server.runner.repeatable(server.selection.record) is call:
            self.repeat()

    def _is_open(self, server: ServerParts, name: str) -> bool:
        shown = server.selection.tool
        return self._parts.server is server and shown is not None and shown.name == name

    def _connects_first(self, server: ServerParts, name: str) -> bool:
        """True if Sightline has to connect again before a call. If so, the user is notified.

        `name`: the name of the called item.
        """
        if server.link.state not in {SessionState.FAILED, SessionState.CLOSED} or self._read_only:
            return False
        words = f"Connecting again, then calling {shortened(name, 60)}."
        self._parts.screen.notify(content(words).plain, markup=False)
        return True
