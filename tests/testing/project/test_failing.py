
def test_forgotten_mark(mcp_server):
    result = mcp_server.call("leak_key", name="production")
    result.assert_never_seen("plr_", hosts="all")


def test_not_withheld(mcp_server):
    result = mcp_server.call("make_key", name="production")
    structured = result.structured
    text = result.text
    raw = result.raw
    view = result.model("spec")
    result.assert_withheld("/secret", "/name")


def test_compared(mcp_server):
    result = mcp_server.call("make_key", name="production")
    assert result.structured == {"id": "key-1", "name": "other", "secret": "other"}


def test_compared_as_text(mcp_server):
    secret = mcp_server.call("make_key", name="production").structured["secret"]
    assert secret == "plr_none\nof"


def test_text(mcp_server):
    assert mcp_server.call("make_key", name="production").text == ""


def test_part(mcp_server):
    secret = mcp_server.call("make_key", name="production").structured["secret"]
    assert secret[4:] == secret[:3]


def test_schema(mcp_server):
    mcp_server.call("fail").assert_fits_schema()


def test_snapshot(mcp_server, mcp_snapshot):
    result = mcp_server.call("make_key", name="production")
    mcp_snapshot(result, "claude-code")
    mcp_snapshot(result)


def test_untrusted(mcp_server, mcp_snapshot):
    mcp_snapshot(mcp_server.call("changing"), ignore=["/id", "/day"])


def test_open(mcp_server, mcp_snapshot):
    from inspector.testing import connect

    with connect("-- python plain.py", boundary="open") as server:
        result = server.call("make_key", name="production")
        mcp_snapshot(result)
        model = result.model("claude-code")
        view = model.view
        text = model.text
        result.assert_meets(withheld="/secret", absent_for="all hosts", at_most_tokens=1)
