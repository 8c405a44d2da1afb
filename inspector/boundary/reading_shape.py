"""Rewrites results of resources/read and prompts/get as tool results, so that the same rules apply to them.

Each item of `contents` becomes an embedded resource, and the content of each message becomes a content block.
Source: MCP 2025-11-25 and 2026-07-28, Resources and Prompts.
"""

import re
from collections.abc import Sequence
from typing import TypeGuard, cast

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Removal, Rule
from inspector.claims.claim import Subject
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.catalogue import Kind

NOTICE_URI = "sightline:notice"
"""The URI of each text that the boundary adds to the contents of a resource."""
_TOOL_MEMBERS = frozenset({"content", "structuredContent", "isError"})
_BLOCK = re.compile(r"/content/(\d+)(/resource)?(.*)", re.DOTALL)
_NO_MEMBER = "the protocol does not define this member of a message"


class ReadingShape(Struct, frozen=True, kw_only=True):
    """The original shape of a result that was rewritten as a tool result."""

    kind: Kind
    roles: tuple[str | None, ...] = ()
    """The role of each message; None for an item that is not a message."""
    content_first: frozenset[int] = frozenset()
    """The indices of the messages whose `content` comes before their `role`."""
    extras: tuple[str, ...] = ()
    """Pointers to members of messages that the protocol does not define."""

    @property
    def member(self) -> str:
        return member_of(self.kind)

    @property
    def removals(self) -> tuple[Removal, ...]:
        """A removal for each pointer in `extras`, because these members are left out."""
        return tuple(
            Removal(pointer=pointer, rule=Rule.UNDECLARED, detail=_NO_MEMBER) for pointer in self.extras
        )

    def place(self, pointer: str) -> str:
        """The pointer into the original result for a `pointer` into the tool result."""
        found = _BLOCK.fullmatch(pointer)
        if not found:
            return f"/{self.member}" if pointer == "/content" else pointer
        index, resource, rest = found[1], found[2] or "", found[3]
        if self.kind is not Kind.PROMPT:
            return f"/contents/{index}{rest}"
        if self._role(int(index)) is None:
            return f"/messages/{index}"
        return f"/messages/{index}/content{resource}{rest}"

    def placed(self, removal: Removal) -> Removal:
        claim = removal.claim
        if claim is not None and claim.subject in {Subject.BLOCK, Subject.RESULT}:
            claim = replace(claim, pointer=self.place(claim.pointer))
        return replace(removal, pointer=self.place(removal.pointer), claim=claim)

    def result(self, tool_result: JsonObject, pointers: Sequence[str]) -> JsonObject:
        """Convert a tool result back to its original shape.

        `pointers`: for each content block, its pointer in the original; "" for a block that the boundary wrote.
        """
        blocks = cast("list[Json]", tool_result["content"])
        items = [self._item(block, pointer) for block, pointer in zip(blocks, pointers, strict=True)]
        return {
            self.member if key == "content" else key: items if key == "content" else value
            for key, value in tool_result.items()
        }

    def _item(self, block: Json, pointer: str) -> Json:
        if self.kind is Kind.PROMPT:
            index = int(pointer.rpartition("/")[2]) if pointer else -1
            role = self._role(index) or "user"
            if index in self.content_first:
                return {"content": block, "role": role}
            return {"role": role, "content": block}
        if isinstance(block, dict) and block.get("type") == "resource":
            return block["resource"]
        text = block.get("text") if isinstance(block, dict) else None
        return {"uri": NOTICE_URI, "mimeType": "text/plain", "text": text}

    def _role(self, index: int) -> str | None:
        return self.roles[index] if 0 <= index < len(self.roles) else None


def member_of(kind: Kind) -> str:
    """The member of a result that holds its content: `content`, `messages` or `contents`."""
    return {Kind.TOOL: "content", Kind.PROMPT: "messages"}.get(kind, "contents")


def is_reading(value: Json, kind: Kind) -> TypeGuard[JsonObject]:
    """True if a value has the shape of a result of resources/read or prompts/get."""
    return (
        isinstance(value, dict)
        and isinstance(value.get(member_of(kind)), list)
        and _TOOL_MEMBERS.isdisjoint(value)
    )


def as_tool_result(value: JsonObject, kind: Kind) -> tuple[JsonObject, ReadingShape]:
    """Rewrite a result for which `is_reading` is true. Returns the tool result and the original shape."""
    member = member_of(kind)
    items = cast("list[Json]", value[member])
    shape = ReadingShape(kind=kind)
    if kind is Kind.PROMPT:
        shape = replace(
            shape,
            roles=tuple(map(_role_of, items)),
            content_first=frozenset(
                index
                for index, message in enumerate(items)
                if isinstance(message, dict) and _names_content_first(message)
            ),
            extras=tuple(
                child(child("/messages", index), key)
                for index, message in enumerate(items)
                if isinstance(message, dict) and _role_of(message) is not None
                for key in message
                if key not in {"role", "content"}
            ),
        )
    blocks = [_block(item, kind) for item in items]
    shaped: JsonObject = {
        "content" if key == member else key: blocks if key == member else inner
        for key, inner in value.items()
    }
    return shaped, shape


def _block(item: Json, kind: Kind) -> Json:
    if kind is not Kind.PROMPT:
        return {"type": "resource", "resource": item}
    if isinstance(item, dict) and _role_of(item) is not None:
        return item["content"]
    # The protocol defines no such content block, so it is withheld.
    return {"message": item}


def _names_content_first(message: JsonObject) -> bool:
    return next((key for key in message if key in {"role", "content"}), "") == "content"


def _role_of(message: Json) -> str | None:
    role = message.get("role") if isinstance(message, dict) and "content" in message else None
    return role if isinstance(role, str) and role in {"user", "assistant"} else None
