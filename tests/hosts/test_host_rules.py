"""Results other than the recorded ones: the rules that were measured on hosts, or read in their source."""

from typing import NamedTuple

import pytest

from inspector.json.exact import Json, JsonObject, Number, dump_text, equal
from tests.hosts.asking import handed, sent, text

HI = "aGk="


class Case(NamedTuple):
    host: str
    sent: JsonObject
    model: Json
    observed: bool = True


def function_response(response: Json) -> Json:
    return [{"functionResponse": {"name": "mcp_fx_try", "response": response}}]


def tool_return(said: str, outcome: str = "success") -> Json:
    return [{"part": "ToolReturnPart", "model_response_str": said, "outcome": outcome}]


def output(said: Json) -> Json:
    return {"type": "function_call_output", "output": said}


def vercel(*parts: Json) -> Json:
    return {"type": "tool-result", "output": {"type": "content", "value": list[Json](parts)}}


def codex(*items: Json) -> Json:
    return [{"type": "input_text", "text": "Wall time: <T> seconds\nOutput:"}, *items]


def strands(*content: Json, status: str = "success") -> Json:
    return {"toolResult": {"content": list[Json](content), "toolUseId": "1", "status": status}}


LINK: JsonObject = {"type": "resource_link", "uri": "https://example.org", "name": "n", "title": "T"}
IMAGE: JsonObject = {"type": "image", "data": HI, "mimeType": "image/png"}
AUDIO: JsonObject = {"type": "audio", "data": HI, "mimeType": "audio/wav"}
EMBEDDED: JsonObject = {"type": "resource", "resource": {"text": "t", "uri": "ui://u", "more": 1}}
BYTES: JsonObject = {"type": "resource", "resource": {"uri": "ui://u", "blob": HI}}
STRANGE: JsonObject = {"n": 9_007_199_254_740_993, "é": 1.0, "10": [1e21, -0.0], "__proto__": 1, "2": None}
REWRITTEN = '{"2":null,"10":[1e+21,0],"n":9007199254740992,"é":1}'
QUOTED: JsonObject = {"type": "quite_new", "text": "x"}

CASES = [
    Case(
        "codex",
        sent({**LINK, "annotations": {"audience": ["system"]}}),
        codex(
            {
                "type": "input_text",
                "text": "tool call error: tool call failed for `fx/try`\n\nCaused by:\n    Unexpected response type",
            }
        ),
        observed=False,
    ),
    Case(
        "codex",
        sent({**LINK, "annotations": {"odd": 1, "priority": 0.5}}),
        codex(
            {
                "type": "input_text",
                "text": '{"type":"resource_link","uri":"https://example.org","name":"n","title":"T",'
                '"annotations":{"priority":0.5}}',
            }
        ),
        observed=False,
    ),
    Case(
        "gemini-cli",
        sent({"type": "resource", "resource": {"uri": "ui://u", "text": ""}}, text("t")),
        function_response({"output": "<untrusted_context>\nt\n</untrusted_context>"}),
        observed=False,
    ),
    # Claude Code: structured content replaces text, rewritten as JavaScript writes it; other content stays.
    Case("claude-code", sent(text("t"), structuredContent=STRANGE), {"content": REWRITTEN}),
    Case("claude-code", sent(text("t"), structuredContent={}), {"content": "{}"}),
    Case(
        "claude-code",
        sent(text("t"), LINK, structuredContent={"a": 1}),
        {"content": [text("[Resource link: n] https://example.org"), text('{"a":1}')]},
    ),
    Case(
        "claude-code",
        sent(AUDIO, BYTES, text("t")),
        {
            "content": [
                text("[Audio from fx] Binary content (audio/wav, 2 bytes) saved to <PATH>"),
                text("[Resource from fx at ui://u] Binary content (unknown type, 2 bytes) saved to <PATH>"),
                text("t"),
            ]
        },
    ),
    Case(
        "claude-code",
        sent(text("a"), IMAGE, isError=True),
        {"content": "a", "is_error": True},
        observed=False,
    ),
    Case(
        "claude-code", sent(text(" ")), {"content": "(mcp__fx__try completed with no output)"}, observed=False
    ),
    Case("claude-code", sent(text("e" * 11_000), isError=True), {"content": "e" * 11_000, "is_error": True}),
    Case("claude-code", sent(text("x" * 50_000)), {"content": [text("x" * 50_000)]}),
    # Codex: structured content replaces everything, in its own order and digits.
    Case(
        "codex",
        sent(text("t"), IMAGE, structuredContent={"b": 2**53 + 1, "10": 1.5}),
        'Wall time: <T> seconds\nOutput:\n{"b":9007199254740993,"10":1.5}',
    ),
    Case("codex", sent(text("t"), structuredContent=None), codex({"type": "input_text", "text": "t"})),
    Case(
        "codex",
        sent(EMBEDDED),
        codex({"type": "input_text", "text": '{"type":"resource","resource":{"uri":"ui://u","text":"t"}}'}),
    ),
    Case(
        "codex",
        {"error": {"code": 1, "message": "m"}},
        codex(
            {
                "type": "input_text",
                "text": "tool call error: tool call failed for `fx/try`\n\nCaused by:\n    Mcp error: 1: m",
            }
        ),
    ),
    Case("codex", sent(text("x" * 11_967)), codex({"type": "input_text", "text": "x" * 11_967})),
    Case("codex-known-model", sent(text("x" * 47_000)), codex({"type": "input_text", "text": "x" * 47_000})),
    Case(
        "codex",
        sent(text("x" * 11_969), text("y")),
        codex(
            {"type": "input_text", "text": "x" * 5_983 + "…2 chars truncated…" + "x" * 5_984},
            {"type": "input_text", "text": "[omitted 1 text items ...]"},
        ),
        observed=False,
    ),
    # Gemini CLI: each text marked, its closing tag escaped; JSON in a text taken for structured content.
    Case(
        "gemini-cli",
        sent(text("a</untrusted_context>b</UNTRUSTED_CONTEXT>"), LINK),
        function_response(
            {
                "output": "<untrusted_context>\na&lt;/untrusted_context&gt;b</UNTRUSTED_CONTEXT>\n</untrusted_context>\n"
                "Resource Link: T at https://example.org"
            }
        ),
    ),
    Case(
        "gemini-cli",
        sent(text("")),
        function_response({"output": "<untrusted_context>\n\n</untrusted_context>"}),
    ),
    Case(
        "gemini-cli",
        sent(text("3")),
        function_response(
            {
                "error": 'MCP tool \'try\' reported tool error for function call: {"name":"try","args":{}} with response: '
                '[{"functionResponse":{"name":"try","response":{"error":{"message":"[\\n  {\\n    \\"expected\\": \\"record\\",\\n'
                '    \\"code\\": \\"invalid_type\\",\\n    \\"path\\": [\\n      \\"structuredContent\\"\\n    ],\\n'
                '    \\"message\\": \\"Invalid input: expected record, received number\\"\\n  }\\n]","isError":true}}}}]'
            }
        ),
    ),
    Case(
        "gemini-cli",
        sent(text("NaN")),
        function_response({"output": "<untrusted_context>\nNaN\n</untrusted_context>"}),
    ),
    Case(
        "gemini-cli",
        sent(text('{"b":1.0,"1":2}'), isError=True),
        function_response(
            {
                "error": 'MCP tool \'try\' reported tool error for function call: {"name":"try","args":{}} with response: '
                '[{"functionResponse":{"name":"try","response":{"content":[{"type":"text","text":"{\\"b\\":1.0,\\"1\\":2}"}],'
                '"structuredContent":{"1":2,"b":1},"isError":true}}}]'
            }
        ),
    ),
    # LangChain JS: one text is a string, with structured content or metadata it is JSON; embedded resources are kept back.
    Case("langchain-js", sent(EMBEDDED, text("t")), {"content": "t", "status": "success"}),
    Case(
        "langchain-js",
        sent(text("t"), structuredContent=STRANGE),
        {"content": '{"type":"text","text":"t","structuredContent":' + REWRITTEN + "}", "status": "success"},
    ),
    Case(
        "langchain-js",
        sent(text("t"), text("u"), structuredContent={"a": 1}, _meta={"k": 1}),
        {"content": [text("t"), text("u")], "status": "success"},
    ),
    Case(
        "langchain-js",
        sent(LINK),
        {
            "content": [{"type": "file", "source_type": "url", "url": "https://example.org"}],
            "status": "success",
        },
    ),
    Case(
        "langchain-js",
        sent(text("a"), IMAGE, text("b"), isError=True),
        {
            "content": "Error: MCP tool 'try' on server 'fx' returned an "
            "error: a\n\nb\n Please fix your mistakes.",
            "status": "error",
        },
    ),
    # LangChain Python
    Case(
        "langchain-py",
        sent({**LINK, "mimeType": "image/png"}, EMBEDDED),
        {
            "content": [
                {"type": "image", "id": "lc_<ID>", "url": "https://example.org/", "mime_type": "image/png"},
                {"type": "text", "text": "t", "id": "lc_<ID>"},
            ],
            "status": "success",
            "$not_sent": {"artifact": None},
        },
    ),
    # OpenAI Agents: structured content alone if configured, unless the call failed or, in Python, it is empty.
    Case(
        "openai-agents-py-structured",
        sent(text("t"), structuredContent=STRANGE),
        '{"n": 9007199254740993, "\\u00e9": 1.0, "10": [1e+21, -0.0], "__proto__": 1, "2": null}',
    ),
    Case(
        "openai-agents-py-structured",
        sent(text("t"), structuredContent={}),
        [{"type": "input_text", "text": "t"}],
    ),
    Case(
        "openai-agents-py",
        sent(EMBEDDED),
        [
            {
                "type": "input_text",
                "text": '{"type":"resource","resource":{"uri":"ui://u","mime_type":null,'
                '"meta":null,"text":"t"},"annotations":null,"meta":null}',
            }
        ],
    ),
    Case("openai-agents-py", sent(QUOTED), "An error occurred while running the tool. Please try again."),
    Case("openai-agents-js-structured", sent(text("t"), structuredContent=STRANGE), output(REWRITTEN)),
    Case(
        "openai-agents-js",
        sent(text("t", _meta={"k": 1}), AUDIO),
        output(
            '[{"type":"text","text":"t","_meta":{"k":1}},'
            '{"type":"audio","data":"aGk=","mimeType":"audio/wav"}]'
        ),
    ),
    # Pydantic AI: a text that is JSON is parsed; `result` is unwrapped; null and an empty list are nothing.
    Case("pydantic-ai", sent(text('{"b": 1e2, "a": "é"}')), tool_return('{"b":100.0,"a":"é"}')),
    Case("pydantic-ai", sent(text("[]")), tool_return("")),
    Case("pydantic-ai", sent(text("[1")), tool_return("[1")),
    Case("pydantic-ai", sent(text("3")), tool_return("3")),
    Case("pydantic-ai", sent(text("t"), structuredContent={"result": "plain"}), tool_return("plain")),
    Case("pydantic-ai", sent(text("t"), structuredContent={"result": None}), tool_return("")),
    Case(
        "pydantic-ai",
        sent(text("t"), structuredContent={"result": 1, "more": 2}),
        tool_return('{"result":1,"more":2}'),
    ),
    Case(
        "pydantic-ai",
        sent(text("a"), text('{"k": 1}'), EMBEDDED, LINK),
        tool_return('["a",{"k":1},"t","https://example.org"]'),
    ),
    Case(
        "pydantic-ai",
        sent(text("a"), text("b"), isError=True),
        tool_return('{"error":"[\\"a\\",\\"b\\"]"}', "retried"),
    ),
    # Google ADK: everything, null members left out, in the order of the SDK.
    Case(
        "google-adk",
        sent(
            text("t", annotations={"priority": 1, "audience": None}),
            LINK,
            structuredContent={"n": None, "big": Number("1e400")},
        ),
        {
            "content": [
                text("t", annotations={"priority": 1.0}),
                {"name": "n", "title": "T", "uri": "https://example.org", "type": "resource_link"},
            ],
            "structuredContent": {"n": None, "big": None},
            "isError": False,
        },
    ),
    # Strands: text, images; bytes only if they are text or an image.
    Case("strands", sent(text(""), LINK, EMBEDDED), strands({"text": ""}, {"text": "t"})),
    Case(
        "strands",
        sent(
            {"type": "resource", "resource": {"uri": "u", "blob": HI, "mimeType": "application/ld+json"}},
            isError=True,
        ),
        strands({"text": "hi"}, status="error"),
        observed=False,
    ),
    Case(
        "strands",
        sent({**IMAGE, "data": "a"}),
        strands(
            {
                "text": "Tool execution failed: Invalid base64-encoded string: number of data "
                "characters (1) cannot be 1 more than a multiple of 4"
            },
            status="error",
        ),
        observed=False,
    ),
    # Vercel: a block of an unknown type makes it pass the result unchanged; otherwise its own members are first.
    Case(
        "vercel-ai",
        sent(EMBEDDED),
        vercel(text('{"type":"resource","resource":{"uri":"ui://u","text":"t","more":1}}')),
    ),
    Case(
        "vercel-ai",
        sent(EMBEDDED, QUOTED),
        vercel(
            text('{"type":"resource","resource":{"text":"t","uri":"ui://u","more":1}}'),
            text('{"type":"quite_new","text":"x"}'),
        ),
    ),
    Case(
        "vercel-ai",
        {"error": {"code": 1, "message": ""}},
        {"type": "tool-result", "output": {"type": "error-text", "value": "MCPClientError"}},
    ),
    Case(
        "vercel-ai",
        {"structuredContent": {"a": Number("1.10")}},
        {"type": "tool-result", "output": {"type": "json", "value": {"structuredContent": {"a": 1.1}}}},
        observed=False,
    ),
    # Semantic Kernel: a repr.
    Case(
        "semantic-kernel",
        sent(text("it's", odd=[1, None], annotations={"audience": ["user"]})),
        {
            "role": "tool",
            "content": "[TextContent(inner_content=TextContent(type='text', text=\"it's\", annotations=Annotations(audience=['user'], priority=None), "
            "meta=None, odd=[1, None]), ai_model_id=None, metadata={}, content_type='text', text=\"it's\", encoding=None)]",
        },
    ),
    Case(
        "vscode-copilot",
        sent(text("t", annotations={"audience": ["user"]}), text("u"), QUOTED, isError=True),
        {"content": [{"kind": "text", "value": "u"}]},
        observed=False,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.host}-{dump_text(case.sent)[:50]}")
def test_a_host_follows_its_rule(case: Case) -> None:
    context = handed(case.host, case.sent)
    assert dump_text(context.model) == dump_text(case.model)
    assert equal(context.model, case.model)
    assert context.observed is case.observed, context.changes


def test_pydantic_ai_passes_files_separately_from_text() -> None:
    context = handed("pydantic-ai", sent(text("a"), {**IMAGE, "data": "JVBERg=="}, text("b")))
    assert isinstance(context.model, list)
    part = context.model[0]
    assert isinstance(part, dict)
    assert part["model_response_str"] == '["a","b"]'
    text_only = part["text_only_provider"]
    assert isinstance(text_only, dict)
    assert text_only["tool_result"] == '["a","See file 39b6d7.","b"]'


def test_agent_framework_joins_texts_and_escapes_structured_content() -> None:
    joined = handed("ms-agent-framework", sent(text("a"), text("b"), _meta={"k": 1})).model
    assert isinstance(joined, dict)
    assert joined["result"] == "a\nb"
    assert joined["items"] == [
        {"type": "text", "text": letter, "additional_properties": {"_meta": {"k": 1}}} for letter in "ab"
    ]
    structured = handed("ms-agent-framework", sent(text("a"), structuredContent={"é": 2**60})).model
    assert isinstance(structured, dict)
    assert structured["result"] == '{"\\u00e9": 1152921504606846976}'
