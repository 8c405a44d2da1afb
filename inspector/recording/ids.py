"""Ids in place of masks: what is withheld in a recording may be told by them, for nothing can be told from them."""

from inspector.boundary.mask import MASK
from inspector.json.edit import Copied
from inspector.json.exact import Json, dump_text
from inspector.recording.markers import STANDS, places

_MOST = 3
"""Ids of one place that are told."""


def with_ids(masked: Json, recorded: Json) -> Json:
    """`masked`, with the ids of what is withheld in place of its masks. What has no id stays masked.

    `recorded`: the same value, of a recording, before it was masked.
    """
    copied, whole = Copied(masked), Copied(recorded)
    for tokens in list(places(masked, lambda item: item is MASK)):
        copied.put(tokens, _told(whole.at(tokens)))
    return copied.value


def _told(value: Json) -> str:
    if isinstance(value, str) and STANDS.fullmatch(value):
        return value
    found = list(dict.fromkeys(STANDS.findall(dump_text(value))))
    return " ".join((MASK, *found[:_MOST])) if found else MASK
