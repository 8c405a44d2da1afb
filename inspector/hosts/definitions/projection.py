"""Projects tool definitions: computes the definition that a model gets, with a reason for each difference."""

from enum import StrEnum

from msgspec import Struct

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.labels import is_sensitive_hint, says_yes
from inspector.boundary.removals import UnjudgeableError
from inspector.claims.claim import Claim, Subject
from inspector.hosts.definitions.loosening import loosened
from inspector.hosts.definitions.paths import DocumentPath, Purse
from inspector.hosts.definitions.survey import survey
from inspector.hosts.profile import Host
from inspector.json.exact import Json, JsonObject, dump
from inspector.json.pointer import child
from inspector.protocol.catalogue import Tool
from inspector.schema.nodes import Node
from inspector.schema.positions import Source

BYTES_A_TOKEN = 4
"""The assumed number of bytes per token, a rule of thumb for English and JSON. Models differ."""

_SCHEMA = "outputSchema"
_TEXTS = frozenset({"name", "title", "description"})
_GIVEN = frozenset({*_TEXTS, "inputSchema", _SCHEMA})
_FOR_CLIENTS = {
    "annotations": "annotations are for clients, not for the model",
    "_meta": "`_meta` is for clients, not for the model",
    "icons": "icons are for users, not for the model",
}
_UNKNOWN = "the model gets only name, title, description and schemas"
_NO_TEXT = "it is not text"
_NO_SCHEMA = "it is not a schema"
_ALL_SENSITIVE = "all structured content is withheld, so it needs no schema"
_HINTED = (
    "the tool declares its results sensitive, and the output schema declares no part of them as not sensitive"
)

NOT_OBSERVED = "the handling of definitions was not observed for this host: `spec` is shown instead"
SERVERS_WORDS = "name, title, description and input schema pass unchanged at every boundary, because a model needs them to use the tool"
AS_SENT = "at `open` every schema passes as sent"
PARTLY_RELEASED = "the tool declares its results sensitive: only parts that the output schema releases pass"


class ProjectionStep(StrEnum):
    """The step that causes a difference: the boundary or the host."""

    BOUNDARY = "boundary"
    HOST = "host"


class DefinitionDifference(Struct, frozen=True, kw_only=True):
    """A part of a definition that reaches the model changed, or not at all."""

    pointer: str
    """Pointer to an existing part of the definition as sent."""
    step: ProjectionStep
    what: str
    """The reason for the difference, as a sentence for the user that quotes nothing of the definition."""
    rule: str = ""
    """The boundary rule that causes the difference, or `loosened`; empty if the host causes it."""
    claim: Claim | None = None
    """The claim that causes the difference; None if no claim does."""


class ProjectedDefinition(Struct, frozen=True, kw_only=True):
    """A tool definition at one boundary level, in one host."""

    level: Level
    raw: JsonObject
    """The definition as sent, which the differences point into."""
    model: JsonObject
    """The definition that the model gets."""
    differences: tuple[DefinitionDifference, ...]
    """The differences that the boundary causes, then those that the host causes."""
    notes: tuple[str, ...]
    """Sentences for the user about the whole definition."""
    raw_bytes: int
    """The size of the definition as compact JSON."""
    model_bytes: int
    """The size of the model's view as compact JSON."""
    observed: bool
    """False if the host's handling of definitions was not observed.

    Then `model` is the definition by the host profile `spec`.
    """

    @property
    def about_tokens(self) -> int:
        return tokens(self.model_bytes)

    @property
    def raw_about_tokens(self) -> int:
        return tokens(self.raw_bytes)


def tokens(size_bytes: int) -> int:
    """The estimated number of tokens in `size_bytes` bytes, rounded up."""
    return -(-size_bytes // BYTES_A_TOKEN)


def project_definition(
    tool: Tool, level: Level, host: Host, *, contract: Contract | None = None
) -> ProjectedDefinition:
    """Compute the definition of `tool` that the model of `host` gets.

    Never raises. Parts that cannot be judged are withheld.

    `contract`: the contract of `tool`, if already computed. Linear in the size of the definition.
    Source: docs/hosts.md; MCP 2025-11-25 and 2026-07-28, Tools.
    """
    raw = tool.definition
    notes = [SERVERS_WORDS]
    bounded, differences = raw, list[DefinitionDifference]()
    if level is Level.OPEN:
        notes.append(AS_SENT)
    else:
        bounded = _bounded(tool, contract or contract_of(tool), differences, notes)
    model = _model_view(raw, bounded, differences)
    observed = host.name == "spec"
    if not observed:
        notes.append(NOT_OBSERVED)
    return ProjectedDefinition(
        level=level,
        raw=raw,
        model=model,
        differences=tuple(differences),
        notes=tuple(notes),
        raw_bytes=len(dump(raw)),
        model_bytes=len(dump(model)),
        observed=observed,
    )


def _model_view(raw: JsonObject, bounded: JsonObject, differences: list[DefinitionDifference]) -> JsonObject:
    """The definition that a model gets by the host profile `spec`: name, title, description and schemas.

    Adds a difference for each other member.
    """
    for key in raw:
        if key not in _GIVEN:
            what = _FOR_CLIENTS.get(key, _UNKNOWN)
            differences.append(
                DefinitionDifference(pointer=child("", key), step=ProjectionStep.HOST, what=what)
            )
    return {key: value for key, value in bounded.items() if key in _GIVEN}


def _bounded(
    tool: Tool, contract: Contract, differences: list[DefinitionDifference], notes: list[str]
) -> JsonObject:
    """The definition without its withheld parts."""
    bounded: JsonObject = {}
    for key, value in tool.definition.items():
        if key in _TEXTS and not isinstance(value, str):
            differences.append(_internal(key, _NO_TEXT))
        elif key == "inputSchema" and not isinstance(value, (dict, bool)):
            differences.append(_internal(key, _NO_SCHEMA))
        elif key == _SCHEMA:
            found: list[DefinitionDifference] = []
            try:
                bounded[key] = _output_schema(value, contract, found, notes)
            except UnjudgeableError as fault:
                found = [_internal(key, str(fault))]
            except _WithheldError as whole:
                found = [whole.difference]
            except Exception as fault:  # noqa: BLE001 - a part that cannot be judged must not pass
                found = [_internal(key, f"it could not be judged ({type(fault).__name__})")]
            differences += found
        else:
            bounded[key] = value
    return bounded


class _WithheldError(Exception):
    """Raised for an output schema that is withheld as a whole."""

    def __init__(self, difference: DefinitionDifference) -> None:
        super().__init__(difference.what)
        self.difference = difference


def _output_schema(
    schema: Json, contract: Contract, found: list[DefinitionDifference], notes: list[str]
) -> Json:
    """An output schema that bounded results fit. Adds the differences to `found`.

    Raises _WithheldError if the whole schema is withheld, and UnjudgeableError if it cannot be judged.
    """
    if contract.fault:
        raise UnjudgeableError(contract.fault)
    known = survey(schema)
    if known.root_reason:
        raise _WithheldError(_of_root(known.root_reason, contract))
    hint = _hint(contract)
    if hint and not known.root.leads_to_release:
        raise _WithheldError(_difference(f"/{_SCHEMA}", Rule.SENSITIVE_HINT, _HINTED, hint))
    if hint:
        notes.append(PARTLY_RELEASED)
    purse = Purse()

    def report(path: DocumentPath, rule: str, what: str, mark: Node | None) -> None:
        pointer = f"/{_SCHEMA}{purse.pointer(path)}"
        found.append(_difference(pointer, rule, what, _claim(mark, contract)))

    return loosened(schema, known, report, purse) if isinstance(schema, dict) else schema


def _of_root(reason: Node, contract: Contract) -> DefinitionDifference:
    if reason.mark_key is None:
        return _internal(_SCHEMA, reason.reason)
    what = f"{reason.reason}; {_ALL_SENSITIVE}"
    return _difference(f"/{_SCHEMA}", Rule.X_SENSITIVE, what, _claim(reason, contract))


def _claim(mark: Node | None, contract: Contract) -> Claim | None:
    if mark is None:
        return None
    return contract.claim_at(Source(reason=mark.reason, schema_pointer=mark.pointer, mark_key=mark.mark_key))


def _hint(contract: Contract) -> Claim | None:
    """The claim that all results of the tool are sensitive; None if there is none."""
    of_tool = (claim for claim in contract.claims if claim.subject is Subject.TOOL)
    return next((claim for claim in of_tool if is_sensitive_hint(claim) and says_yes(claim)), None)


def _internal(key: str, what: str) -> DefinitionDifference:
    return _difference(child("", key), Rule.INTERNAL, what, None)


def _difference(pointer: str, rule: str, what: str, claim: Claim | None) -> DefinitionDifference:
    return DefinitionDifference(
        pointer=pointer, step=ProjectionStep.BOUNDARY, rule=rule, what=what, claim=claim
    )
