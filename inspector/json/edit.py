"""Changes a JSON value, copying only the containers on the way to each change."""

from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import index_of


class Copied:
    """A copy of a JSON value in which single places are changed.

    It shares unchanged parts with the original.
    """

    def __init__(self, value: Json) -> None:
        self._top: list[Json] = [value]
        # The copied containers by `id`. They are kept here, so that no other container gets the same id.
        self._owned: dict[int, list[Json] | JsonObject] = {}

    @property
    def value(self) -> Json:
        return self._top[0]

    def at(self, tokens: tuple[str | int, ...]) -> Json:
        """The value at the path `tokens`. Raises LookupError if there is none."""
        below = self.value
        for token in tokens:
            below = _below(below, token)
        return below

    def items(self, tokens: tuple[str | int, ...]) -> list[Json]:
        """The array at the path `tokens`, as a copy that may be changed. Raises LookupError if there is none."""
        array = self._own(*self._holder(tokens))
        if not isinstance(array, list):
            raise LookupError(tokens)  # noqa: TRY004 - the pointer is wrong, not the type
        return array

    def reach(self, tokens: tuple[str | int, ...]) -> int:
        """The number of tokens at the start of the path that lead to an existing value."""
        below = self.value
        for count, token in enumerate(tokens):
            try:
                below = _below(below, token)
            except LookupError:
                return count
        return len(tokens)

    def put(self, tokens: tuple[str | int, ...], value: Json) -> None:
        """Put `value` at the path `tokens`. Raises LookupError if the path leads nowhere."""
        holder, at = self._holder(tokens)
        _put(holder, at, value)

    def drop(self, tokens: tuple[str | int, ...], instead: Json) -> None:
        """Remove the member at the path `tokens`. If it is not in an object, put `instead` in its place.

        Raises LookupError if the path leads nowhere.
        """
        holder, at = self._holder(tokens)
        if isinstance(holder, dict):
            del holder[str(at)]
        else:
            _put(holder, at, instead)

    def _holder(self, tokens: tuple[str | int, ...]) -> tuple[list[Json] | JsonObject, str | int]:
        holder: list[Json] | JsonObject = self._top
        at: str | int = 0
        for token in tokens:
            holder, at = self._own(holder, at), token
        return holder, at

    def _own(self, holder: list[Json] | JsonObject, at: str | int) -> list[Json] | JsonObject:
        """The container under `at`, as a copy that may be changed."""
        container = _below(holder, at)
        if not isinstance(container, (dict, list)):
            raise LookupError(at)  # noqa: TRY004 - the pointer is wrong, not the type
        if id(container) not in self._owned:
            container = container.copy()
            self._owned[id(container)] = container
            _put(holder, at, container)
        return container


def _below(holder: Json, token: str | int) -> Json:
    """The value under `token` in the container `holder`. Raises LookupError if there is none."""
    if isinstance(holder, dict):
        return holder[str(token)]
    if isinstance(holder, list):
        return holder[_index(token)]
    raise LookupError(token)


def _put(holder: list[Json] | JsonObject, at: str | int, value: Json) -> None:
    if isinstance(holder, dict):
        holder[str(at)] = value
    else:
        holder[_index(at)] = value


def _index(token: str | int) -> int:
    return token if isinstance(token, int) else index_of(token)
