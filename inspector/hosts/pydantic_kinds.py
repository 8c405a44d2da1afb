"""The types that pydantic checks fields of MCP's models against, and the faults that it finds."""

from dataclasses import dataclass
from typing import TypeAlias

from inspector.hosts.python_text import represented, shortened, type_name
from inspector.json.exact import Json

Place: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One fault."""

    type: str
    place: Place
    message: str
    value: Json

    @property
    def text(self) -> str:
        """As `str(error)` has it."""
        quoted = f"input_value={shortened(represented(self.value))}, input_type={type_name(self.value)}"
        return (
            f"{'.'.join(map(str, self.place))}\n  {self.message} [type={self.type}, {quoted}]\n"
            f"    For further information visit https://errors.pydantic.dev/2.14/v/{self.type}"
        )


def error_text(title: str, issues: tuple[Issue, ...]) -> str:
    """`str(error)` of a ValidationError."""
    count = f"{len(issues)} validation error{'' if len(issues) == 1 else 's'} for {title}"
    return "\n".join([count, *(issue.text for issue in issues)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """`str`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uri:
    """`AnyUrl`, to the extent that its text says whether it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """`bool`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """`int`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`float` from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """`Literal`."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """`dict[str, Any]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """`list`."""

    of: "Kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A field of a model."""

    name: str
    """In Python."""
    wire: str
    """In JSON, where it differs."""
    kind: "Kind"
    required: bool = False
    nullable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model class."""

    name: str
    members: tuple[Member, ...]
    keeps_others: bool = False
    """Whether members that it does not name stay (`extra="allow"`)."""

    @property
    def types(self) -> tuple[str, ...]:
        """What its member `type` may say; nothing where it has none."""
        for member in self.members:
            if member.wire == "type" and isinstance(member.kind, Choice):
                return member.kind.values
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """A union of models, told apart by what they require."""

    models: tuple[Model, ...]


Kind: TypeAlias = Text | Uri | Truth | Whole | Share | Choice | Mapping | Items | Model | AnyOf
