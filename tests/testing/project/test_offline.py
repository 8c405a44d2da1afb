def test_a_marked_key_reaches_no_model(mcp_server):
    result = mcp_server.call("make_key", name="production")
    result.assert_fits_schema()
    result.assert_withheld("/secret")
    result.assert_never_seen("plr_", hosts="all")
    assert result.structured["id"] == "key-1"


def test_marked(mcp_server):
    # The test of cassettes adds a marker with the file of the cassette here.
    assert mcp_server.call("make_key", name="marked").structured["name"] == "marked"
