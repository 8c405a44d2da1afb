"""What the name and the description of a tool say about its effect. Source: the WebMCP draft, 6.3.2."""

from msgspec import Struct

from inspector.credentials.names import words_of
from inspector.json.exact import JsonObject


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DESTROYS = _words(
    "delete remove drop destroy wipe purge erase revoke uninstall terminate truncate shred overwrite"
)
CHANGES = DESTROYS | _words(
    "create update write insert send publish purchase buy pay cancel finalize finalise submit install deploy commit push "
    "merge reset grant rename edit modify upload append rotate approve reject invite restart shutdown reboot enable "
    "disable assign archive unsubscribe subscribe"
)
VAGUE = _words("finalize finalise process handle manage proceed complete confirm perform execute do go apply")
READS = _words("get list read search find show describe view fetch query count lookup check inspect preview")
_KNOWN = CHANGES | READS | VAGUE


class NamedChange(Struct, frozen=True, kw_only=True):
    """A verb in the texts of a tool that says that the tool changes something."""

    verb: str
    """The verb in lower case, one of the set `CHANGES`."""
    is_in_name: bool
    """True if the verb is in the name; false if the description begins with it."""
    is_sure: bool
    """True if the name contains a verb of `CHANGES` and the description begins with one too."""

    @property
    def words(self) -> str:
        """Where the verb is, such as: its name contains `delete`."""
        return f"its {'name contains' if self.is_in_name else 'description begins with'} `{self.verb}`"


def named_change(name: str, definition: JsonObject) -> NamedChange | None:
    """The change that the name of a tool, or its description, suggests; None if they suggest none.

    A description counts alone only if it begins with a verb of `DESTROYS`.
    """
    verb, described = verb_of(name), _described_verb(definition)
    if verb in CHANGES:
        return NamedChange(verb=verb, is_in_name=True, is_sure=described in CHANGES)
    if described in DESTROYS:
        return NamedChange(verb=described, is_in_name=False, is_sure=False)
    return None


def verb_of(name: str) -> str:
    """The first known verb among the first two words of a name; empty if there is none.

    The first word may be a product name.
    """
    return next((word for word in words_of(name)[:2] if word in _KNOWN), "")


def _described_verb(definition: JsonObject) -> str:
    """The first word of the description; empty if there is none. `Deletes` becomes `delete`."""
    description = definition.get("description")
    first = words_of(description[:80])[:1] if isinstance(description, str) else ()
    if not first:
        return ""
    word = first[0]
    return next((form for form in (word, word[:-1], word[:-2]) if form in CHANGES), word)
