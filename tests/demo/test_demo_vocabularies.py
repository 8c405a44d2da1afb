from collections.abc import Iterator

import pytest

from inspector.demo.tools import TOOLS
from inspector.json.exact import Json
from tests.demo.calls import blocks, result_of, seeded

TRUST = "io.modelcontextprotocol/trust-annotations"
ACTION = "io.modelcontextprotocol/action-metadata"
RESOLUTION = "io.modelcontextprotocol/tool-resolution"

# The place at which each vocabulary's keys are declared: a pointer with `*` for an index; it starts at
# the tool's definition, at its result, or at a content block.
VOCABULARIES: list[tuple[str, str, set[str]]] = [
    (
        "mcp",
        "tool/annotations/title",
        {"clean_clock", "generate_api_key", "create_share_link", "delete_project"},
    ),
    ("mcp", "tool/annotations/readOnlyHint", {"clean_clock", "delete_project", "odd_claims"}),
    ("mcp", "tool/annotations/destructiveHint", {"delete_project", "rotate_token"}),
    ("mcp", "tool/annotations/idempotentHint", {"delete_project", "sync_calendar"}),
    ("mcp", "tool/annotations/openWorldHint", {"search_web", "clean_clock"}),
    ("mcp-content", "block/annotations/audience", {"team_photo", "odd_claims"}),
    ("mcp-content", "block/annotations/priority", {"team_photo"}),
    ("mcp-content", "block/annotations/lastModified", {"team_photo"}),
    ("webmcp", "tool/annotations/untrustedContentHint", {"search_web"}),
    ("webmcp", "tool/annotations/consequentialHint", {"send_mail", "delete_project"}),
    ("webmcp", "tool/annotations/debugging", {"odd_claims"}),
    ("webmcp", "tool/annotations/autosubmit", {"odd_claims"}),
    ("webmcp-110", "tool/annotations/sensitiveHint", {"create_share_link", "patient_record"}),
    ("webmcp-110", "tool/outputSchema/properties/secret/x-sensitive", {"generate_api_key"}),
    ("webmcp-110", "tool/outputSchema/properties/token/x-sensitive", {"rotate_token", "sync_calendar"}),
    (
        "webmcp-110",
        "tool/outputSchema/properties/rows/items/properties/address/x-sensitive",
        {"list_audit_log"},
    ),
    ("webmcp-110", "tool/outputSchema/$defs/note/properties/text/x-sensitive", {"patient_record"}),
    ("webmcp-110", "tool/outputSchema/properties/passphrase/xSensitive", {"odd_claims"}),
    ("webmcp-110", "tool/outputSchema/properties/document/x-sensitive", {"create_share_link"}),
    ("webmcp-110", "block/redeemUrl", {"create_share_link"}),
    ("sep-1913", "tool/annotations/inputMetadata/destination", {"send_mail", "read_drafts", "list_inbox"}),
    ("sep-1913", "tool/annotations/inputMetadata/outcomes", {"send_mail"}),
    ("sep-1913", "tool/annotations/returnMetadata/source/*", {"list_inbox"}),
    ("sep-1913", "tool/annotations/returnMetadata/sensitivity/*", {"read_drafts", "list_inbox"}),
    ("sep-1913", "tool/annotations/returnMetadata/sensitivity/*/regulated/scopes/*", {"patient_record"}),
    ("sep-1913", "tool/annotations/maliciousActivityHint", {"list_inbox"}),
    ("sep-1913", "result/_meta/annotations/maliciousActivityHint", {"list_inbox"}),
    ("sep-1913", "result/_meta/annotations/attribution/*", {"read_drafts", "list_inbox", "search_web"}),
    ("sep-1913", "result/_meta/annotations/openWorldHint", {"list_inbox", "poisoned_weather"}),
    ("sep-1913", "result/_meta/annotations/returnMetadata/sensitivity", {"read_drafts", "send_mail"}),
    ("trust-annotations", f"block/_meta/{TRUST}/untrusted", {"search_web"}),
    ("trust-annotations", f"block/_meta/{TRUST}/evidenceRef/digest", {"search_web"}),
    ("trust-annotations", f"result/_meta/{TRUST}/sensitive", {"patient_record"}),
    ("action-metadata", f"tool/annotations/{ACTION}/inputMetadata/destination", {"update_salary"}),
    ("action-metadata", f"tool/annotations/{ACTION}/returnMetadata/source", {"update_salary"}),
    ("action-metadata", f"tool/annotations/{ACTION}/outcome", {"update_salary"}),
    ("action-metadata", f"tool/annotations/{ACTION}/requiresReview", {"update_salary"}),
    ("tool-resolution", f"tool/_meta/{RESOLUTION}/resolvable", {"resolve_path", "write_file"}),
    (
        "policy-hints",
        "tool/_meta/mcp.dev/effect",
        {"delete_project", "send_mail", "write_file", "team_photo"},
    ),
    ("policy-hints", "tool/_meta/mcp.dev/idempotent", {"delete_project"}),
    ("policy-hints", "tool/_meta/mcp.dev/requiresConfirmation", {"delete_project"}),
    ("policy-hints", "tool/_meta/mcp.dev/resultSensitivity", {"export_report", "patient_record"}),
    ("ifc", "tool/_meta/ifc/integrity", {"search_web", "patient_record"}),
    ("ifc", "result/_meta/ifc/confidentiality", {"search_web", "patient_record"}),
    ("related", "tool/annotations/secretHint", {"patient_record"}),
    ("related", "tool/annotations/unsafeOutputHint", {"search_web"}),
    ("related", "tool/annotations/trustedHint", {"odd_claims"}),
    ("unrecognised", "tool/annotations/x-acme-tier", {"odd_claims"}),
    ("unrecognised", "tool/_meta/acme.example/region", {"odd_claims"}),
    ("unrecognised", "result/_meta/acme.example/trace/request", {"rotate_token"}),
]


def locations(value: Json, at: str) -> Iterator[str]:
    yield at
    match value:
        case dict():
            for key, child in value.items():
                yield from locations(child, f"{at}/{key}")
        case list():
            for child in value:
                yield from locations(child, f"{at}/*")
        case _:
            pass


def declared_by(name: str) -> set[str]:
    server = seeded()
    result = result_of(server, name)
    found = {*locations(server.tools[name].definition, "tool"), *locations(result, "result")}
    for block in blocks(result):
        found.update(locations(block, "block"))
    return found


DECLARED = {tool.name: declared_by(tool.name) for tool in TOOLS}


@pytest.mark.parametrize(("vocabulary", "location", "tools"), VOCABULARIES)
def test_every_key_of_every_vocabulary_is_used(vocabulary: str, location: str, tools: set[str]) -> None:
    missing = {name for name in tools if location not in DECLARED[name]}
    assert missing == set(), vocabulary
