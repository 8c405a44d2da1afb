"""The behaviour of the API that pages can see: a script for each behaviour, its output by the draft, and the differences in Chromium.

Each script may use `api`, `tried(call)` (the kind and the outcome of a call's return value), `said(text)`, `added(members, options)` (a
registered tool as `getTools()` gives it) and `ran(value)` (the result of a tool that returns the value).
"""

from dataclasses import dataclass

PRELUDE = """
const api = document.modelContext, lines = [];
const said = (line) => { lines.push(String(line)); };
const named = (error) => error instanceof Error ? error.name : String(error);
const tried = async (call) => {
  try {
    const answer = call(), kind = answer instanceof Promise ? "promise" : typeof answer;
    await answer.then?.((value) => said(`${kind} ${typeof value} ${JSON.stringify(value)}`), (error) => said(`${kind} ! ${named(error)}`));
  } catch (error) { said(`threw ${named(error)}`); }
};
const tool = { name: "a", description: "d", execute: () => 1 };
const added = async (members, options) => {
  await api.registerTool({ ...tool, ...members }, options);
  return (await api.getTools()).find((each) => each.name === (members.name ?? "a"));
};
const ran = async (execute) => { const given = await added({ execute }); await tried(() => api.executeTool(given, {})); };
const registering = (members, options) => tried(() => api.registerTool({ ...tool, ...members }, options));
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """One behaviour. `lines`: the output of the script, in order."""

    script: str
    lines: tuple[str, ...]
    chromium: tuple[str, ...] | None = None
    """The output of Chromium 156 instead; None if it follows the draft."""


OK = "promise undefined undefined"
TYPE = "promise ! TypeError"
STATE = "promise ! InvalidStateError"
SECURITY = "promise ! SecurityError"
ABORTED = "promise ! AbortError"
UNKNOWN = "promise ! UnknownError"


def _registering(members: str, line: str, options: str = "undefined") -> Behaviour:
    return Behaviour(script=f"await registering({members}, {options})", lines=(line,))


def _running(execute: str, line: str, chromium: str | None = None) -> Behaviour:
    return Behaviour(
        script=f"await ran({execute})", lines=(line,), chromium=None if chromium is None else (chromium,)
    )


BEHAVIOURS: dict[str, Behaviour] = {
    "no argument": Behaviour(script="await tried(() => api.registerTool())", lines=(TYPE,)),
    "a number": Behaviour(script="await tried(() => api.registerTool(1))", lines=(TYPE,)),
    "an empty object": Behaviour(script="await tried(() => api.registerTool({}))", lines=(TYPE,)),
    "no execute": _registering("{ execute: undefined }", TYPE),
    "execute no function": _registering("{ execute: 1 }", TYPE),
    "no description": _registering("{ description: undefined }", TYPE),
    "registered": _registering("{}", OK),
    "registered twice": Behaviour(script="await registering({}); await registering({})", lines=(OK, STATE)),
    "empty name": _registering("{ name: '' }", STATE),
    "name with a space": _registering("{ name: 'a b' }", STATE),
    "name with a line break": _registering(r"{ name: 'a\n' }", STATE),
    "name with all that is allowed": _registering("{ name: 'aZ09_-.' }", OK),
    "name of 128": _registering("{ name: 'x'.repeat(128) }", OK),
    "name of 129": _registering("{ name: 'x'.repeat(129) }", STATE),
    "name a number": _registering("{ name: 12 }", OK),
    "name a symbol": _registering("{ name: Symbol() }", TYPE),
    "name of a prototype's member": _registering("{ name: 'constructor' }", OK),
    "empty description": _registering("{ description: '' }", STATE),
    "schema a string": _registering("{ inputSchema: '{}' }", TYPE),
    "schema null": _registering("{ inputSchema: null }", TYPE),
    "schema a function": _registering("{ inputSchema() {} }", TYPE),
    "schema that is not JSON": _registering("{ inputSchema: { toJSON() {} } }", TYPE),
    "schema that throws": _registering(
        "{ inputSchema: { toJSON() { throw new RangeError() } } }", "promise ! RangeError"
    ),
    "schema in a circle": _registering("{ inputSchema: ((c) => (c.c = c))({}) }", TYPE),
    "annotations a number": _registering("{ annotations: 1 }", TYPE),
    "annotations null": _registering("{ annotations: null }", OK),
    "options a number": _registering("{}", TYPE, "1"),
    "options null": _registering("{}", OK, "null"),
    "signal no signal": _registering("{}", TYPE, "{ signal: {} }"),
    "signal aborted before": _registering("{}", ABORTED, "{ signal: AbortSignal.abort() }"),
    "signal aborted with a reason": _registering(
        "{}", "promise ! RangeError", "{ signal: AbortSignal.abort(new RangeError()) }"
    ),
    "bad name before aborted signal": _registering("{ name: '' }", STATE, "{ signal: AbortSignal.abort() }"),
    "exposed to nonsense": _registering("{}", SECURITY, "{ exposedTo: ['nonsense'] }"),
    "exposed to an insecure origin": _registering("{}", SECURITY, "{ exposedTo: ['http://example.com'] }"),
    "exposed to loopback": _registering(
        "{}", OK, "{ exposedTo: ['http://localhost:1', 'http://127.0.0.1'] }"
    ),
    "exposed to a secure URL": _registering("{}", OK, "{ exposedTo: ['https://example.com/path'] }"),
    "exposed to data": _registering("{}", SECURITY, "{ exposedTo: ['data:text/plain,x'] }"),
    "exposed to a string": _registering("{}", TYPE, "{ exposedTo: 'https://example.com' }"),
    "aborted before exposed": _registering(
        "{}", ABORTED, "{ exposedTo: ['nonsense'], signal: AbortSignal.abort() }"
    ),
    "order in which members are read": Behaviour(
        script="""const read = [];
        const spy = (value, prefix) => new Proxy(value, { get: (of, key) => (read.push(prefix + String(key)), of[key]) });
        await api.registerTool(spy({ ...tool, annotations: spy({}, "@") }, ""), spy({}, "+"));
        said(read.join(" "))""",
        lines=(
            (
                "annotations @consequentialHint @debugging @readOnlyHint @untrustedContentHint description execute"
                " inputSchema name title +exposedTo +signal"
            ),
        ),
    ),
    "order of events": Behaviour(
        script="""api.addEventListener("toolchange", (event) => said(`listener ${event.bubbles} ${event.cancelable}`));
        api.ontoolchange = () => said("handler");
        const registered = api.registerTool(tool);
        said("returned");
        queueMicrotask(() => said("microtask"));
        await registered;
        said("resolved")""",
        lines=("returned", "microtask", "listener false false", "handler", "resolved"),
    ),
    "unregistered": Behaviour(
        script="""const leaving = new AbortController();
        await added({}, { signal: leaving.signal });
        leaving.signal.dispatchEvent(new Event("abort"));
        said((await api.getTools()).length);
        const changed = new Promise((resolve) => api.addEventListener("toolchange", resolve));
        leaving.abort();
        await changed;
        said((await api.getTools()).length);
        await registering({})""",
        lines=("1", "0", OK),
    ),
    "unregistered while registering": Behaviour(
        script="""const leaving = new AbortController();
        const registered = api.registerTool(tool, { signal: leaving.signal });
        leaving.abort();
        await tried(() => registered)""",
        lines=(ABORTED,),
    ),
    "listed": Behaviour(
        script=r"""await added({ name: "b", title: "\ud800", inputSchema: { z: 1, a: [2] }, annotations: { readOnlyHint: 1, sensitiveHint: true } });
        await added({});
        for (const { window: view, ...rest } of await api.getTools()) said(JSON.stringify({ ...rest, origin: rest.origin === origin, window: view === window }));
        said(Object.keys((await api.getTools())[1]))""",
        lines=(
            '{"description":"d","name":"a","origin":true,"title":"","window":true}',
            (
                '{"annotations":{"consequentialHint":false,"debugging":false,"readOnlyHint":true,"untrustedContentHint":false},'
                '"description":"d","inputSchema":{"z":1,"a":[2]},"name":"b","origin":true,"title":"�","window":true}'
            ),
            "annotations,description,inputSchema,name,origin,title,window",
        ),
    ),
    "listed from nonsense": Behaviour(
        script="await tried(() => api.getTools({ fromOrigins: ['x'] }))", lines=(SECURITY,)
    ),
    "what a tool is called with": Behaviour(
        script="""const given = await added({ execute(first, second) { "use strict"; said(`${arguments.length} ${JSON.stringify(first)} ${Object.keys(second)} ${second.signal} ${this}`); } });
        await api.executeTool(given, { q: [1] }).catch(() => {});
        await api.executeTool(given).catch(() => {})""",
        lines=(
            '2 {"q":[1]} signal [object AbortSignal] undefined',
            "2 {} signal [object AbortSignal] undefined",
        ),
    ),
    "called with null": Behaviour(
        script="const given = await added({}); await tried(() => api.executeTool(given, null))", lines=(TYPE,)
    ),
    "called with a circle": Behaviour(
        script="const given = await added({}); await tried(() => api.executeTool(given, ((c) => (c.c = c))({})))",
        lines=(TYPE,),
    ),
    "called by name": Behaviour(script="await tried(() => api.executeTool('a', {}))", lines=(TYPE,)),
    "called without a window": Behaviour(
        script="const given = await added({}); await tried(() => api.executeTool({ ...given, window: null }, {}))",
        lines=(TYPE,),
    ),
    "called under another name": Behaviour(
        script="const given = await added({}); await tried(() => api.executeTool({ ...given, name: 'b' }, {}))",
        lines=(UNKNOWN,),
    ),
    "called in another origin": Behaviour(
        script="const given = await added({}); await tried(() => api.executeTool({ ...given, origin: 'https://example.com' }, {}))",
        lines=(UNKNOWN,),
    ),
    "called in no origin": Behaviour(
        script="""const given = await added({});
        await tried(() => api.executeTool({ ...given, origin: 'nonsense' }, {}));
        await tried(() => api.executeTool({ ...given, origin: 'data:,' }, {}))""",
        lines=("promise ! NotSupportedError", "promise ! NotSupportedError"),
    ),
    "gives an object": _running("() => ({ x: [1, null] })", 'promise string "{\\"x\\":[1,null]}"'),
    "gives a promise": _running("async () => true", 'promise string "true"'),
    "gives null": _running("() => null", 'promise string "null"'),
    "gives a string": _running("() => 's'", 'promise string "\\"s\\""', 'promise string "s"'),
    "gives nothing": _running("() => {}", UNKNOWN, 'promise string "undefined"'),
    "gives a function": _running("() => () => 1", UNKNOWN, 'promise string "undefined"'),
    "gives a big integer": _running("() => 10n", UNKNOWN, 'promise string "10"'),
    "gives no number": _running("() => NaN", 'promise string "null"', 'promise string "NaN"'),
    "gives a circle": _running("() => ((c) => (c.c = c))({})", UNKNOWN),
    "throws": _running("() => { throw new RangeError() }", UNKNOWN),
    "rejects": _running("() => Promise.reject()", UNKNOWN),
    "cancelled": Behaviour(
        script="""const given = await added({ execute: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => said(`tool ${signal.reason.name}`))) });
        const cancelling = new AbortController(), cancelled = new Promise((resolve) => { api.ontoolcancel = (event) => resolve(said(`${event} ${event.toolName}`)); });
        api.ontoolactivated = (event) => { said(`${event} ${event.toolName}`); setTimeout(() => cancelling.abort(new RangeError())); };
        await tried(() => api.executeTool(given, {}, { signal: cancelling.signal }));
        await cancelled;
        await tried(() => api.executeTool(given, {}, { signal: AbortSignal.abort() }))""",
        lines=(
            "[object ToolActivatedEvent] a",
            "promise ! RangeError",
            "tool AbortError",
            "[object ToolCancelEvent] a",
            ABORTED,
        ),
    ),
    "unregistered while it runs": Behaviour(
        script="""const leaving = new AbortController(), ended = Promise.withResolvers();
        const given = await added({ execute: () => ended.promise }, { signal: leaving.signal });
        api.ontoolactivated = () => { leaving.abort(); ended.resolve(5); };
        await tried(() => api.executeTool(given, {}));
        await tried(() => api.executeTool(given, {}))""",
        lines=('promise string "5"', UNKNOWN),
    ),
    "event handlers": Behaviour(
        script="""said(api.ontoolchange); api.ontoolchange = 1; said(api.ontoolchange);
        const object = { handleEvent: () => said("never") }; api.ontoolchange = object; said(api.ontoolchange === object);
        api.dispatchEvent(new Event("toolchange")); api.ontoolchange = undefined; said(api.ontoolchange)""",
        lines=("null", "null", "true", "null"),
    ),
    "wrong receivers": Behaviour(
        script="""await tried(() => ModelContext.prototype.registerTool.call({}, tool));
        await tried(() => ModelContext.prototype.getTools.call({}));
        await tried(() => Object.getOwnPropertyDescriptor(ModelContext.prototype, "ontoolchange").get.call({}));
        await tried(() => Object.getOwnPropertyDescriptor(Document.prototype, "modelContext").get.call({}));
        await tried(() => new ModelContext());
        await tried(() => new ToolCancelEvent())""",
        lines=(TYPE, TYPE, "threw TypeError", "threw TypeError", "threw TypeError", "threw TypeError"),
    ),
}
