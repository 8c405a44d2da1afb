"""Forms as tools: the behaviour of the polyfill, compared with the browser's own API."""

import json
from collections.abc import Generator
from urllib.parse import quote

import pytest

from inspector.json.exact import Json, JsonObject
from tests.webmcp.polyfill.browser import Browser, Page
from tests.webmcp.polyfill.polyfilled import answer, command, polyfill

FIELDS: dict[str, str] = {
    "text": "<input name=a required pattern='x+' minlength=2 placeholder=p toolparamdescription=Text>",
    "text without a name": "<input toolparamdescription=d>",
    "a type that is none": "<input type=nonsense name=a>",
    "texts of other types": "<input type=email name=a pattern=.><input type=url name=b><input type=tel name=c><input type=search name=d>"
    "<input type=password name=e toolparamdescription=''>",
    "colours and times": "<input type=color name=a><input type=time name=b><input type=datetime-local name=c><input type=month name=d>"
    "<input type=week name=e>",
    "dates": "<input type=date name=a min=2020-01-01><input type=date name=b toolparamdescription=When>",
    "what is no field": "<input type=submit name=a value=b><button name=b></button><input type=image name=c><input type=reset name=d>"
    "<input type=hidden name=e><input type=file name=f><output name=g></output>",
    "what cannot be changed": "<input name=a disabled><input name=b readonly><fieldset disabled><input name=c></fieldset>",
    "numbers": "<input type=number name=a><input type=number name=b min=1 max=9><input type=number name=c step=any><input type=number name=d step=0.5>",
    "numbers from a base": "<input type=number name=a min=1 step=2><input type=number name=b min=0 step=2>"
    "<input type=number name=c value=3 step=2><input type=number name=d min=1 step=0.5>",
    "numbers that are none": "<input type=number name=a min=x max=y step=z value=w><input type=number name=b step=-1>",
    "ranges": "<input type=range name=a><input type=range name=b min=2 max=8 step=2>",
    "boxes": "<input type=checkbox name=a><input type=checkbox name=b value=v checked required toolparamdescription=d>",
    "boxes of one name": "<input type=checkbox name=a value=x required toolparamdescription=d><label><input type=checkbox name=a value=y> Why</label>",
    "radios": "<input type=radio name=a value=1><label for=r>Two</label><input id=r type=radio name=a value=2 toolparamdescription=d required>",
    "radios, some disabled": "<input type=radio name=a value=1 disabled><input type=radio name=a value=2>",
    "one radio": "<input type=radio name=a value=1 toolparamdescription=d>",
    "one name, two fields": "<input name=a><input name=a>",
    "one name, two types": "<input type=number name=a><input name=a><input name=b>",
    "a choice": "<select name=a required><option value=''>none<option value=a label=L>A<option>B<option disabled>C<optgroup label=G><option value=g>G"
    "</select>",
    "choices": "<label>Some <select name=a multiple><option>x<option selected>y</select></label>",
    "a choice of nothing": "<select name=a></select>",
    "long text": "<textarea name=a required maxlength=9 toolparamdescription=Long></textarea>",
    "labels": "<label>One<input name=a></label><label for=b>By</label><input id=b name=b><label>A<input name=c id=c></label><label for=c>B</label>",
    "labels with more in them": "<label>  spaced\n  <b>out</b> text <input name=a> after</label>",
    "a label and a description": "<label>One<input name=a toolparamdescription=Two></label>",
    "names of prototypes' members": "<input type=checkbox name=__proto__><input name=constructor>",
    "names that hide the form's own": "<input name=elements><input name=checkValidity><input name=getAttribute>",
}
PAGES: dict[str, str] = {
    **{
        f"fields: {name}": f"<form toolname=f tooldescription=d>{html}</form>"
        for name, html in FIELDS.items()
    },
    "titled and automatic": "<form toolname=f tooldescription=d tooltitle=T toolautosubmit></form>",
    "fields from elsewhere": "<input form=x name=a><form id=x toolname=f tooldescription=d></form>",
    "no description": "<form toolname=f></form>",
    "an empty description": "<form toolname=f tooldescription></form>",
    "no name": "<form tooldescription=d></form><form toolname tooldescription=d></form>",
    "a bad name": "<form toolname='a b' tooldescription=d></form>",
    "a name twice": "<form toolname=f tooldescription=1></form><form toolname=f tooldescription=2></form>",
}
LISTED = """document.modelContext.getTools().then((tools) =>
  JSON.stringify(tools.map(({ window: view, origin: from, ...rest }) => [rest, view === window, from === origin])))"""


@pytest.fixture(scope="module")
def polyfilled(plain: Browser) -> Generator[Page]:
    with plain.page() as page:
        polyfill(page, host=True)
        yield page


@pytest.fixture(scope="module")
def own(native: Browser) -> Generator[Page]:
    with native.page() as page:
        page.send("WebMCP.enable")
        yield page


def _opened(page: Page, origin: str, html: str) -> None:
    page.open(f"{origin}/html?{quote(html)}")


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES.keys())
def test_a_form_becomes_the_same_tool_as_in_the_browser(
    polyfilled: Page, own: Page, origin: str, html: str
) -> None:
    told: list[Json] = []
    # Chromium lists the options that a choice has when it is inserted. Its parser may pause between the tag of a
    # choice and the options, but not within `document.write`.
    written = json.dumps(html).replace("<", "\\u003c")
    for page in (polyfilled, own):
        _opened(page, origin, f"<!doctype html><script>document.write({written})</script>")
        told.append(json.loads(str(page.evaluate(LISTED))))
    assert told[0] == told[1]


FORM = """<!doctype html><form id=f toolname=f tooldescription=d toolautosubmit>
<input type=number name=n max=50><select name=s><option>a<option>1</select><select name=m multiple><option>x<option>y</select>
<input type=date name=d><input type=checkbox name=c><input type=checkbox name=cs value=p><input type=checkbox name=cs value=q checked>
<input name=t><input type=radio name=r value=1><input type=radio name=r value=2><input type=email name=e><textarea name=ta></textarea>
<input name=long maxlength=3><input type=range name=rg max=5><input type=color name=co><input type=hidden name=h value=kept><button name=go value=1></form>
<form toolname=user tooldescription=d><input name=q></form><script>
f.onsubmit = (event) => { event.preventDefault(); event.respondWith(Promise.resolve([event.agentInvoked, ...new FormData(f, event.submitter)])); };
</script>"""
INPUTS: list[JsonObject] = [
    {},
    {"n": 3},
    {"n": "9"},
    {"n": "x"},
    {"n": 99},
    {"s": "1"},
    {"s": 1},
    {"s": "z"},
    {"m": ["y"]},
    {"m": ["x", "y"]},
    {"m": "y"},
    {"m": [1]},
    {"m": ["z"]},
    {"d": "2020-01-02"},
    {"d": "2020-13-01"},
    {"c": True},
    {"c": "true"},
    {"c": "yes"},
    {"c": False},
    {"cs": ["p"]},
    {"cs": []},
    {"cs": "p"},
    {"t": "v"},
    {"t": 1.5},
    {"t": True},
    {"t": None},
    {"t": {"a": 1}},
    {"t": ["v"]},
    {"r": "2"},
    {"r": 2},
    {"r": "7"},
    {"e": "no address"},
    {"ta": "two\nlines"},
    {"long": "longer"},
    {"rg": 7},
    {"co": "#112233"},
    {"zz": 1},
    {"t": "v", "zz": 1},
    {"h": "changed"},
]


def _called(page: Page, name: str, given: JsonObject, *, natively: bool, during: str = "") -> Json:
    """The outcome of a call: its output, or its status and the message of its refusal. `during`: runs in the page in the meantime."""
    if natively:
        frame = page.evaluate("document.modelContext.getTools().then(() => 1)") and page.main_frame()
        number = page.send("WebMCP.invokeTool", frameId=frame, toolName=name, input=given)["invocationId"]
        if during:
            page.evaluate(during)
        told = page.wait_for("WebMCP.toolResponded", lambda report: report["invocationId"] == number)
    else:
        command(page, page.isolated(), command="invoke", id="call", name=name, input=json.dumps(given))
        if during:
            page.evaluate(during)
        told = answer(page, lambda report: report["id"] == "call")
    return told["output"] if told["status"] == "Completed" else [told["status"], told.get("errorText")]


@pytest.mark.parametrize("given", INPUTS, ids=json.dumps)
def test_a_form_accepts_the_same_input_as_in_the_browser(
    polyfilled: Page, own: Page, origin: str, given: JsonObject
) -> None:
    came: list[Json] = []
    for page in (polyfilled, own):
        _opened(page, origin, FORM)
        came.append(_called(page, "f", given, natively=page is own))
    assert came[0] == came[1]


def _handling(script: str, attributes: str = "toolautosubmit") -> str:
    return (
        f"<!doctype html><form id=f toolname=f tooldescription=d {attributes}><input name=q><button id=b>Go</button></form>"
        "<script>globalThis.log = []; document.modelContext.ontoolactivated = ({ toolName }) => log.push(`activated ${toolName}`);"
        "for (const type of ['input', 'change']) f.addEventListener(type, ({ target }) => log.push(`${type} ${target.value}`));"
        f"f.onsubmit = (event) => {{ log.push(`submit ${{event.agentInvoked}}`); {script} }};</script>"
    )


PREVENTED = "event.preventDefault();"
HANDLED: dict[str, tuple[str, str]] = {
    "answers": (_handling(PREVENTED + "event.respondWith(Promise.resolve({a: [1]}))"), ""),
    "answers with nothing": (_handling(PREVENTED + "event.respondWith(Promise.resolve(null))"), ""),
    "answers twice": (
        _handling(PREVENTED + "event.respondWith(Promise.resolve(1)); event.respondWith(Promise.resolve(2))"),
        "",
    ),
    "answers late": (
        _handling(PREVENTED + "event.respondWith(new Promise((ok) => setTimeout(ok, 20, 'late')))"),
        "",
    ),
    "only prevents": (_handling(PREVENTED), ""),
    "rejects": (_handling(PREVENTED + "event.respondWith(Promise.reject(new RangeError('x')))"), ""),
    "answers too early": (
        _handling(
            "try { event.respondWith(Promise.resolve(1)) } catch ({ name }) { log.push(name) }" + PREVENTED
        ),
        "",
    ),
    "waits for the user": (
        _handling(PREVENTED + "event.respondWith(Promise.resolve('user'))", ""),
        "b.click()",
    ),
    "is reset": (_handling(PREVENTED, ""), "f.reset()"),
    "is described anew": (_handling(PREVENTED, ""), "f.setAttribute('tooldescription', 'e')"),
    "is removed": (_handling(PREVENTED, ""), "f.remove()"),
    "has no button": (_handling(PREVENTED, "").replace("<button id=b>Go</button>", ""), ""),
}


@pytest.mark.parametrize(("html", "during"), HANDLED.values(), ids=HANDLED.keys())
def test_a_page_can_handle_a_submission_as_in_the_browser(
    polyfilled: Page, own: Page, origin: str, html: str, during: str
) -> None:
    came: list[Json] = []
    for page in (polyfilled, own):
        _opened(page, origin, html)
        outcome = _called(page, "f", {"q": "v"}, natively=page is own, during=during)
        page.evaluate("new Promise((ok) => setTimeout(() => setTimeout(ok)))")
        came.append([outcome, page.evaluate("log")])
    assert came[0] == came[1]


def test_a_submission_by_the_user_is_not_one_by_an_agent(polyfilled: Page, own: Page, origin: str) -> None:
    said: list[Json] = []
    for page in (polyfilled, own):
        _opened(page, origin, _handling("event.preventDefault(); event.respondWith(Promise.resolve(1))"))
        page.evaluate(
            "globalThis.onerror = (text) => { log.push(/InvalidStateError/.test(text)) }; b.click(); 1"
        )
        said.append(page.evaluate("log"))
    assert said[0] == said[1] == ["submit false", True]


def test_added_changed_and_removed_forms_are_reported(polyfilled: Page, origin: str) -> None:
    _opened(polyfilled, origin, "<!doctype html><p>")
    command(polyfilled, polyfilled.isolated(), command="watch", id="w")
    polyfilled.evaluate(
        "document.body.innerHTML = '<form id=f toolname=f tooldescription=d toolautosubmit></form>'; 1"
    )
    seen = answer(polyfilled, lambda told: told["tools"] != [])["tools"]
    assert seen == [
        {
            "name": "f",
            "title": "",
            "description": "d",
            "inputSchema": {"type": "object", "properties": {}, "required": []},
            "annotations": {"autosubmit": True},
            "exposedTo": [],
            "declarative": True,
        }
    ]
    polyfilled.evaluate("f.innerHTML = '<input name=x>'; 1")
    answer(polyfilled, lambda told: '"x"' in json.dumps(told["tools"]))
    polyfilled.evaluate("f.removeAttribute('toolname')")
    said = json.dumps(polyfilled.evaluate(LISTED))
    assert said == json.dumps("[]")


def test_a_form_cannot_take_the_name_of_a_tool_of_a_script(polyfilled: Page, origin: str) -> None:
    _opened(polyfilled, origin, "<!doctype html><p>")
    polyfilled.evaluate(
        "document.modelContext.registerTool({name: 'f', description: 'script', execute: () => 7}).then(() => 1)"
    )
    polyfilled.evaluate("document.body.innerHTML = '<form toolname=f tooldescription=form></form>'; 1")
    listed = polyfilled.evaluate(
        "document.modelContext.getTools().then((tools) => tools.map((tool) => tool.description))"
    )
    assert listed == ["script"]
