"""Requests of servers to the client, parsed and answered: tables on the pure part."""

import pytest

from inspector.asks.answer import MODEL, Action, Answer, answered, filled, sampled, with_defaults
from inspector.asks.ask import MAX_ASK_BYTES, Ask, AskKind, Unanswerable, ask_of, sampling_lines, url_asks
from inspector.asks.link import link_of
from inspector.asks.prepared import ANY, PreparedAnswer, PreparedAnswers
from inspector.asks.private import MAX_FORMS, Questions, private_in, private_in_reply
from inspector.json.exact import Json, JsonObject
from inspector.protocol.client import FULL, NONE, Root
from inspector.protocol.outcome import Result, RpcError

FORM: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "default": 7},
        "agreed": {"type": "boolean", "default": False},
    },
}
ELICIT, SAMPLE = "elicitation/create", "sampling/createMessage"
TOKEN = "postgres://u:hunter22@db.example/x"


def read(method: Json, params: Json = None, *, key: str = "", number: int = 1) -> Ask:
    ask = ask_of(method, params, FULL.capabilities, key=key, number=number)
    assert isinstance(ask, Ask)
    return ask


def form(schema: Json = FORM, **more: str) -> Ask:
    return read(ELICIT, {"message": "Who?", "requestedSchema": schema}, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/list", {}, -32601),
        (None, {}, -32601),
        (ELICIT, None, -32602),
        (ELICIT, {"requestedSchema": []}, -32602),
        (ELICIT, {"mode": "url"}, -32602),
        (ELICIT, {"mode": "telepathy"}, -32602),
        (SAMPLE, {"messages": "hi"}, -32602),
        (ELICIT, {"requestedSchema": {"title": "x" * (MAX_ASK_BYTES + 1)}}, -32602),
    ],
)
def test_a_request_that_cannot_be_answered_gets_an_error_without_quotes(
    method: Json, params: Json, code: int
) -> None:
    found = ask_of(method, params, FULL.capabilities)
    assert isinstance(found, Unanswerable)
    assert found.code == code
    assert "telepathy" not in found.reason


def test_only_requests_for_announced_capabilities_are_answered() -> None:
    assert all(isinstance(ask_of(method, {}, NONE.capabilities), Unanswerable) for method in (ELICIT, SAMPLE))
    assert {read("roots/list").kind, form().kind, read(ELICIT, {"mode": "url", "url": "x"}).kind} == {
        AskKind.ROOTS,
        AskKind.FORM,
        AskKind.URL,
    }


@pytest.mark.parametrize(
    ("ask", "answer", "sent"),
    [
        (form(), Answer(action=Action.ACCEPT, content={"age": 1}), {"action": "accept", "content": {"age": 1}}),
        (form(), Answer(action=Action.CANCEL, content={"age": 1}), {"action": "cancel"}),
        (read(ELICIT, {"mode": "url", "url": "https://a.example"}), Answer(action=Action.ACCEPT), {"action": "accept"}),
        (read("roots/list"), Answer(action=Action.DECLINE), {"roots": [{"uri": "file:///w", "name": "w"}]}),
        (
            read(SAMPLE, {"messages": []}),
            sampled("hello"),
            {
                "role": "assistant",
                "content": {"type": "text", "text": "hello"},
                "model": MODEL,
                "stopReason": "endTurn",
            },
        ),
        (
            read(SAMPLE, {"messages": []}),
            sampled('{"content": [], "model": "m"}'),
            {"role": "assistant", "content": [], "model": "m"},
        ),
    ],
)  # fmt: skip
def test_an_answer_has_the_form_that_the_protocol_requires(
    ask: Ask, answer: Answer, sent: JsonObject
) -> None:
    assert answered(ask, answer, (Root(uri="file:///w", name="w"),)) == Result(value=sent)


def test_declined_sampling_is_an_error() -> None:
    outcome = answered(read(SAMPLE, {"messages": []}), Answer(action=Action.DECLINE), ())
    assert isinstance(outcome, RpcError)


def test_a_form_is_filled_with_defaults_and_declined_if_values_are_invalid() -> None:
    assert with_defaults(form()).content == {"age": 7, "agreed": False}
    needed = form({**FORM, "required": ["name"]})
    assert with_defaults(needed).action is Action.DECLINE
    refused = filled(needed, {"name": "secret-name", "age": "secret-age"})
    assert refused.action is Action.DECLINE
    assert "/age" in refused.why
    assert "secret" not in refused.why


def test_a_prepared_answer_is_chosen_by_key_then_by_number_then_any() -> None:
    def content(name: str) -> JsonObject:
        return {"name": name}

    prepared = PreparedAnswers(
        answers=(
            PreparedAnswer(key=ANY, content=content("any")),
            PreparedAnswer(key="2", content=content("second")),
            PreparedAnswer(key="who", content=content("who")),
            PreparedAnswer(key="stop", word="cancel"),
        )
    )
    asked = [form(key="who", number=2), form(key="other", number=2), form(number=2), form(key="x")]  # type: ignore[arg-type]
    assert [prepared.answer(ask).content for ask in asked] == [
        content("who"),
        content("second"),
        content("second"),
        content("any"),
    ]
    assert prepared.answer(form(key="stop")).action is Action.CANCEL
    assert prepared.answer(read(SAMPLE, {"messages": []})).action is Action.DECLINE
    assert PreparedAnswers().answer(form()).action is Action.DECLINE


@pytest.mark.parametrize(
    ("content", "schema", "private"),
    [
        ({"name": "Ada", "age": 3}, FORM, ()),
        ({"name": TOKEN}, FORM, ("/name",)),
        ({"other": 1}, FORM, ("/other",)),
        ({"name": "Ada"}, None, ("",)),
        ({"name": "Ada"}, {"type": "array"}, ("",)),
        ({"pw": "x"}, {"properties": {"pw": {"type": "string", "format": "password"}}}, ("/pw",)),
        ({"pw": "x"}, {"properties": {"pw": {"type": "string", "x-sensitive": True}}}, ("/pw",)),
        ({"api_key": "x"}, {"properties": {"api_key": {"type": "string"}}}, ("/api_key",)),
        ({"a": "x"}, {"properties": {"a": {"type": "string", "title": "Your password"}}}, ("/a",)),
        (["x"], FORM, ("",)),
        (None, FORM, ()),
    ],
)
def test_the_private_parts_of_an_answer_are_found_by_its_schema(
    content: Json, schema: Json, private: tuple[str, ...]
) -> None:
    assert private_in(content, schema) == private
    result: JsonObject = {"action": "accept", "content": content}
    expected = tuple(f"/content{pointer}" for pointer in private)
    assert private_in_reply(ELICIT, {"requestedSchema": schema}, result) == expected


def test_answers_in_a_later_request_are_judged_by_every_form_with_their_key() -> None:
    questions = Questions()
    said: JsonObject = {"action": "accept", "content": {"name": "Ada"}}
    answers: JsonObject = {"inputResponses": {"who": said}}
    assert questions.private_in(answers) == ("/inputResponses/who/content",)
    asked: JsonObject = {"method": ELICIT, "params": {"requestedSchema": FORM}}
    questions.take({"inputRequests": {"who": asked}})
    assert questions.private_in(answers) == ()
    marked: JsonObject = {"properties": {"name": {"type": "string", "x-sensitive": True}}}
    questions.take({"inputRequests": {"who": {"method": ELICIT, "params": {"requestedSchema": marked}}}})
    assert questions.private_in(answers) == ("/inputResponses/who/content/name",)
    for number in range(MAX_FORMS):
        questions.take({"inputRequests": {"who": {**asked, "number": number}}})
    assert questions.private_in(answers) == ("/inputResponses/who/content",)
    assert questions.private_in({"inputResponses": [said]}) == ("/inputResponses",)


@pytest.mark.parametrize(
    ("url", "host", "origin", "words"),
    [
        ("https://auth.example/login?a=b", "auth.example", "https://auth.example", ""),
        ("https://user:pw@evil.example/", "evil.example", "", "user info"),
        ("https://github.com@evil.example/", "evil.example", "", "user info"),
        ("https://g\u0131thub.com/", "g\u0131thub.com", "https://xn--gthub-n4a.com", "it is xn--gthub-n4a.com"),
        ("https://github.com.evil.example/", "github.com.evil.example", "https://github.com.evil.example", "ends in evil.example (letter by letter: e v i l . e x a m p l e). Anyone can choose the part before it."),
        ("https://auth.paypa1.com/", "auth.paypa1.com", "https://auth.paypa1.com", "ends in paypa1.com (letter by letter: p a y p a 1 . c o m; 1 is a digit). Anyone"),
        ("https://rnicrosoft.com/", "rnicrosoft.com", "https://rnicrosoft.com", "r n i c r o s o f t . c o m)."),
        ("https://login.bank.co.uk/", "login.bank.co.uk", "https://login.bank.co.uk", "ends in bank.co.uk ("),
        ("http://auth.example/", "auth.example", "http://auth.example", "not encrypted"),
        ("https://10.0.0.1/", "10.0.0.1", "https://10.0.0.1", "an IP address"),
        ("https://auth.example/?to=https%3A%2F%2Fevil.example", "auth.example", "https://auth.example", "may redirect to it"),
        ("javascript:alert(1)", "", "", "neither http nor https"),
        ("https://a.example/\x1b[31m", "a.example", "", "control character"),
        ("file:///etc/passwd", "", "", "neither http nor https"),
        ("https://a.example/#\x00", "a.example", "", "a control character or white space: U+0000"),
        ("https://a.example/#\n--flag", "a.example", "", "a control character or white space: U+000A"),
        ("https://a.example/#part", "a.example", "https://a.example", "not on the server's own host"),
    ],
)  # fmt: skip
def test_a_url_is_checked_and_its_host_is_marked(url: str, host: str, origin: str, words: str) -> None:
    link = link_of(url, "https://auth.example/mcp")
    assert (link.host, link.origin) == (host, origin)
    assert words in " ".join((link.refusal, link.ending, *link.warnings))
    assert bool(link.ending) is (bool(origin) and "10.0.0.1" not in origin)
    assert bool(link.refusal) is not bool(origin)
    assert "\x1b" not in f"{link.before}{link.host}{link.after}"


def test_sampling_texts_and_urls_in_errors_are_read() -> None:
    params: JsonObject = {
        "systemPrompt": "Be kind",
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "Rhyme!"}},
            {"role": "user", "content": {"type": "image", "mimeType": "image/png", "data": "AAAA"}},
            "odd",
        ],
        "maxTokens": 9,
    }
    assert list(sampling_lines(read(SAMPLE, params))) == [
        "system: Be kind",
        "user: Rhyme!",
        "user: [image/png, 4 characters of base64]",
        "no role: null",
        "maxTokens: 9",
    ]
    many: list[Json] = [{"mode": "url", "url": "https://a.example"}] * 9
    error: JsonObject = {"code": -32042, "data": {"elicitations": [*many, 3]}}
    assert len(url_asks(error, FULL.capabilities)) == 5
    assert url_asks({**error, "code": -1}, FULL.capabilities) == ()
