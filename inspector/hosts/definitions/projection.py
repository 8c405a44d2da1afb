"""Definitions projected: what a model is given of a tool, and the reason for each difference."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.labels import is_sensitive_hint, says_yes
from inspector.boundary.ledger import UnjudgeableError
from inspector.claims.claim import Claim, Subject
from inspector.hosts.definitions.loosening import loosened
from inspector.hosts.definitions.paths import Path, Purse
from inspector.hosts.definitions.survey import survey
from inspector.hosts.profile import Host
from inspector.json.exact import Json, JsonObject, dump
from inspector.json.pointer import child
from inspector.protocol.catalogue import Tool
from inspector.schema.nodes import Node
from inspector.schema.positions import Source

BYTES_A_TOKEN = 4
"""By rule of thumb, for English and JSON. Every model counts otherwise."""

_SCHEMA = "outputSchema"
_TEXTS = frozenset({"name", "title", "description"})
_GIVEN = frozenset({*_TEXTS, "inputSchema", _SCHEMA})
_FOR_CLIENTS = {
    "annotations": "annotations are for clients; the host does not hand them to its model",
    "_meta": "`_meta` is for clients; the host does not hand it to its model",
    "icons": "icons are for users; the host does not hand them to its model",
}
_UNKNOWN = "only name, title, description and schemas are handed over"
_NO_TEXT = "it is no text"
_NO_SCHEMA = "it is no schema"
_ALL_SENSITIVE = "all structured content is withheld, so there is no schema of what is left"
_HINTED = "the tool declares its results sensitive, and the schema releases nothing of them"

NOT_OBSERVED = "how this host hands over definitions was not observed: what `spec` does is shown"
SERVERS_WORDS = "name, title, description and input schema are the server's words, at every boundary: a model cannot use the tool without them"
AS_SENT = "at `open` every schema goes as it was sent"
PARTLY_RELEASED = "the tool declares its results sensitive: of what the output schema names, only what it releases is let through"


class Step(StrEnum):
    """Which of the two steps makes a difference."""

    BOUNDARY = "boundary"
    HOST = "host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something of a definition that does not reach the model, or not as it was."""

    pointer: str
    """Into the definition as sent; resolves there."""
    step: Step
    what: str
    """In a sentence for the user. Quotes nothing of the definition."""
    rule: str = ""
    """Of the boundary: one of `Rule`, or `loosened`; empty for a host."""
    claim: Claim | None = None
    """The declaration behind it; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedDefinition:
    """One definition at one boundary, through one host."""

    level: Level
    raw: JsonObject
    """As it stood on the wire; what the pointers of the differences point into."""
    model: JsonObject
    """What the model is given."""
    differences: tuple[Difference, ...]
    """Each with its reason: those of the boundary, then those of the host."""
    notes: tuple[str, ...]
    """Sentences for the user about the whole."""
    raw_bytes: int
    """Size of the definition as compact JSON."""
    model_bytes: int
    """Size of what the model is given as compact JSON."""
    observed: bool
    """False where nobody saw how the host hands over definitions; what `spec` does is shown then."""

    @property
    def about_tokens(self) -> int:
        """What the model is given in tokens: an estimate, a quarter of its bytes, rounded up."""
        return tokens(self.model_bytes)

    @property
    def raw_about_tokens(self) -> int:
        """The definition as sent in tokens: the same estimate."""
        return tokens(self.raw_bytes)


def tokens(size_bytes: int) -> int:
    """About how many tokens so many bytes are."""
    return -(-size_bytes // BYTES_A_TOKEN)


def project_definition(
    tool: Tool, level: Level, host: Host, *, contract: Contract | None = None
) -> ProjectedDefinition:
    """What the model of `host` is given of `tool`. Never raises: what cannot be judged is not handed over.

    `contract`: of `tool`, where it is known already. Linear in the size of the definition.
    Source: docs/hosts.md; MCP 2025-11-25 and 2026-07-28, Tools.
    """
    raw = tool.definition
    notes = [SERVERS_WORDS]
    bounded, differences = raw, list[Difference]()
    if level is Level.OPEN:
        notes.append(AS_SENT)
    else:
        bounded = _bounded(tool, contract or contract_of(tool), differences, notes)
    model = _handed_over(raw, bounded, differences)
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


def _handed_over(raw: JsonObject, bounded: JsonObject, differences: list[Difference]) -> JsonObject:
    """What `spec` gives its model: it is told what the tool is and how to call it, not how to treat it."""
    for key in raw:
        if key not in _GIVEN:
            what = _FOR_CLIENTS.get(key, _UNKNOWN)
            differences.append(Difference(pointer=child("", key), step=Step.HOST, what=what))
    return {key: value for key, value in bounded.items() if key in _GIVEN}


def _bounded(tool: Tool, contract: Contract, differences: list[Difference], notes: list[str]) -> JsonObject:
    """The definition without what may not reach a model."""
    bounded: JsonObject = {}
    for key, value in tool.definition.items():
        if key in _TEXTS and not isinstance(value, str):
            differences.append(_internal(key, _NO_TEXT))
        elif key == "inputSchema" and not isinstance(value, (dict, bool)):
            differences.append(_internal(key, _NO_SCHEMA))
        elif key == _SCHEMA:
            found: list[Difference] = []
            try:
                bounded[key] = _output_schema(value, contract, found, notes)
            except UnjudgeableError as fault:
                found = [_internal(key, str(fault))]
            except _WithheldError as whole:
                found = [whole.difference]
            except Exception as fault:  # noqa: BLE001 - what fails to be judged must not be handed over
                found = [_internal(key, f"it could not be judged ({type(fault).__name__})")]
            differences += found
        else:
            bounded[key] = value
    return bounded


class _WithheldError(Exception):
    """An output schema that is withheld as a whole."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.what)
        self.difference = difference


def _output_schema(schema: Json, contract: Contract, found: list[Difference], notes: list[str]) -> Json:
    """An output schema that a bounded result fits."""
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

    def tell(path: Path, rule: str, what: str, mark: Node | None) -> None:
        pointer = f"/{_SCHEMA}{purse.pointer(path)}"
        found.append(_difference(pointer, rule, what, _claim(mark, contract)))

    return loosened(schema, known, tell, purse) if isinstance(schema, dict) else schema


def _of_root(reason: Node, contract: Contract) -> Difference:
    if reason.mark_key is None:
        return _internal(_SCHEMA, reason.reason)
    what = f"{reason.reason}; {_ALL_SENSITIVE}"
    return _difference(f"/{_SCHEMA}", Rule.X_SENSITIVE, what, _claim(reason, contract))


def _claim(mark: Node | None, contract: Contract) -> Claim | None:
    if mark is None:
        return None
    return contract.claim_at(Source(reason=mark.reason, schema_pointer=mark.pointer, mark_key=mark.mark_key))


def _hint(contract: Contract) -> Claim | None:
    """The declaration that all results of the tool are sensitive."""
    of_tool = (claim for claim in contract.claims if claim.subject is Subject.TOOL)
    return next((claim for claim in of_tool if is_sensitive_hint(claim) and says_yes(claim)), None)


def _internal(key: str, what: str) -> Difference:
    return _difference(child("", key), Rule.INTERNAL, what, None)


def _difference(pointer: str, rule: str, what: str, claim: Claim | None) -> Difference:
    return Difference(pointer=pointer, step=Step.BOUNDARY, rule=rule, what=what, claim=claim)
