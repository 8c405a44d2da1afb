"""Results that servers might send, well formed and not."""

from hypothesis import strategies as st

from inspector.json.exact import Json, JsonObject

WORDS = st.sampled_from(
    ["", "x", "hello", "aGk=", "not base64!", "user", "text", "é😀\u202e", '{"a":1}', "[1]", "3"]
)
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | WORDS
KEYS = st.sampled_from(["a", "b", "10", "2", "__proto__", "result", "", "_meta"])
ODD: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)


def _mostly(good: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """A valid value for this place, and seldom another one."""
    return st.integers(0, 14).flatmap(lambda roll: ODD if roll == 0 else good)


def _object(
    required: dict[str, st.SearchStrategy[Json]], optional: dict[str, st.SearchStrategy[Json]]
) -> st.SearchStrategy[Json]:
    fixed = st.fixed_dictionaries(
        {key: _mostly(value) for key, value in required.items()},
        optional={key: _mostly(value) for key, value in optional.items()},
    )
    return fixed.flatmap(_shuffled)


def _shuffled(value: JsonObject) -> st.SearchStrategy[Json]:
    return st.permutations(list(value.items())).map(dict[str, Json])


ANNOTATIONS = _object(
    {},
    {
        "audience": st.lists(st.sampled_from(["user", "assistant", "system"]), max_size=2).map(list[Json]),
        "priority": st.sampled_from([0, 1, 0.5, 7, "0.5"]),
        "lastModified": st.sampled_from(["2026-01-02T03:04:05Z", "today"]),
        "odd": ODD,
    },
)
META: st.SearchStrategy[Json] = st.dictionaries(KEYS, ODD, max_size=2).map(dict[str, Json])
BESIDES: dict[str, st.SearchStrategy[Json]] = {"annotations": ANNOTATIONS, "_meta": META, "odd": ODD}
URIS = st.sampled_from(["file:///x.txt", "https://example.org", "ui://a/B", "no uri", ""])
TYPES = st.sampled_from(["image/png", "image/tiff", "audio/wav", "text/plain", "application/pdf", ""])
DATA = st.sampled_from(["aGk=", "aGk", "JVBERg==", "<PNG>", ""])
ICONS = st.lists(
    _object({"src": WORDS}, {"theme": st.sampled_from(["light", "dim"]), "odd": ODD}), max_size=1
)


def _block(
    kind: str, required: dict[str, st.SearchStrategy[Json]], **optional: st.SearchStrategy[Json]
) -> st.SearchStrategy[Json]:
    return _object({"type": st.just(kind), **required}, {**optional, **BESIDES})


def _resource(payload: str) -> st.SearchStrategy[Json]:
    required: dict[str, st.SearchStrategy[Json]] = {
        "uri": URIS,
        payload: WORDS if payload == "text" else DATA,
    }
    return _object(required, {"mimeType": TYPES, "_meta": META})


RESOURCES = st.sampled_from(["text", "blob"]).flatmap(_resource)
BLOCKS = st.one_of(
    _block("text", {"text": WORDS}),
    _block("image", {"data": DATA, "mimeType": TYPES}),
    _block("audio", {"data": DATA, "mimeType": TYPES}),
    _block("resource", {"resource": RESOURCES}),
    _block(
        "resource_link",
        {"uri": URIS, "name": WORDS},
        title=WORDS,
        description=WORDS,
        mimeType=TYPES,
        size=st.sampled_from([5, 5.0, 5.5, "5"]),
        icons=ICONS.map(list[Json]),
    ),
    _block("quite_new", {"ref": WORDS}, text=WORDS),
)
_BESIDE_CONTENT: dict[str, st.SearchStrategy[Json]] = {
    "structuredContent": META,
    "isError": st.booleans(),
    "_meta": META,
    "odd": ODD,
}
RESULTS = _object({"content": st.lists(_mostly(BLOCKS), max_size=3).map(list[Json])}, _BESIDE_CONTENT)
_ERROR: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {"code": st.integers(), "message": WORDS, "data": ODD}
).map(dict[str, Json])
ERRORS: st.SearchStrategy[Json] = st.fixed_dictionaries({"error": _ERROR}).map(dict[str, Json])
