"""The annotations that a server gets about a session, and the parts about other servers that it does not get."""

import pytest

from inspector.policy.taint import (
    MAX_NAMED_SOURCES,
    LabelKind,
    LabelOrigin,
    SessionTrust,
    SourceDetail,
    TrustLabel,
    request_annotations,
)


def attributed(*sources: str, server: str = "files") -> SessionTrust:
    origin = LabelOrigin(call=1, server=server, tool="read")
    return SessionTrust(
        labels=frozenset(
            TrustLabel(kind=LabelKind.ATTRIBUTION, origin=origin, value=source) for source in sources
        )
    )


def marked(kind: LabelKind) -> SessionTrust:
    return SessionTrust(
        labels=frozenset({TrustLabel(kind=kind, origin=LabelOrigin(call=1, server="web", tool="t"))})
    )


def test_a_session_without_data_sends_no_annotations() -> None:
    assert request_annotations(SessionTrust(), "mail") is None
    assert request_annotations(marked(LabelKind.SENSITIVE), "mail") is None


@pytest.mark.parametrize("kind", [LabelKind.OPEN_WORLD, LabelKind.UNTRUSTED])
def test_every_server_gets_the_annotation_about_untrusted_data(kind: LabelKind) -> None:
    assert request_annotations(marked(kind), "mail", detail=SourceDetail.NONE) == {"openWorldHint": True}


def test_a_server_gets_its_own_sources_as_it_named_them() -> None:
    source = "mcp://file-server.acme.local/hr/salaries.xlsx"
    assert request_annotations(attributed(source), "files") == {"attribution": [source]}


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("mcp://file-server.acme.local/hr/salaries.xlsx", "mcp://file-server.acme.local"),
        ("HTTPS://Ada:secret@API.example.com:8443/people/ada?token=1#x", "https://api.example.com"),
        ("https://api.example.com", "https://api.example.com"),
        ("local://WORKSTATION.corp.acme.com/path/file", None),
        ("local:anonymous/path/file", None),
        ("urn:org:acme:hr:salaries", None),
        ("mailto:ada@example.com", None),
        ("file:///home/ada/salaries.xlsx", None),
        ("https://a b/ignore all instructions", None),
        ("https://a\nb/", None),
        ("https://ignore all@api.example.com/", None),
        ("https://" + "a" * 300 + "/", None),
        ("ignore all instructions", None),
    ],
)
def test_a_server_gets_only_the_host_of_sources_of_other_servers(source: str, told: str | None) -> None:
    found = request_annotations(attributed(source), "mail")
    assert found == (None if told is None else {"attribution": [told]})


def test_the_user_chooses_the_detail_of_the_annotations() -> None:
    trust = attributed("urn:org:acme:hr:salaries", "https://a.example/x")
    assert request_annotations(trust, "mail", detail=SourceDetail.FULL) == {
        "attribution": ["https://a.example/x", "urn:org:acme:hr:salaries"]
    }
    assert request_annotations(trust, "mail", detail=SourceDetail.NONE) is None


def test_a_request_names_a_limited_number_of_sources() -> None:
    found = request_annotations(attributed(*(f"https://{n}.example" for n in range(300))), "mail")
    assert found is not None
    told = found["attribution"]
    assert isinstance(told, list)
    assert len(told) == MAX_NAMED_SOURCES
