"""The hook, examined from inside the page: what a script of the page can see of it, and its reports."""

import json

import pytest

from tests.webmcp.browser.browsing import opened, visiting
from tests.webmcp.browser.site import Site, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBE = """(async () => {
  const seen = {};
  const own = ModelContext.prototype.registerTool;
  const shape = (holder, key) => {
    const { value, ...rest } = Object.getOwnPropertyDescriptor(holder, key);
    return [value.name, value.length, String(value), value + "", Object.getOwnPropertyNames(value), typeof value, rest];
  };
  seen.register = shape(ModelContext.prototype, "registerTool");
  seen.sibling = shape(ModelContext.prototype, "executeTool").slice(3).slice(-1);
  seen.toString = shape(Function.prototype, "toString");
  seen.toStringOfItself = Function.prototype.toString.call(Function.prototype.toString);
  seen.isSame = document.modelContext.registerTool === own;
  seen.own = Object.getOwnPropertyNames(document.modelContext);
  seen.prototypeKeys = Object.getOwnPropertyNames(ModelContext.prototype);
  const failing = async (call) => {
    try { const value = await call(); return ["value", String(value)]; }
    catch (error) { return [error.constructor.name, error.name, error.message, error.stack]; }
  };
  const synchronous = (call) => {
    try { call(); return "returned"; } catch (error) { return [error.name, error.message]; }
  };
  const circular = { type: "object" };
  circular.self = circular;
  const base = { name: "probe", description: "d", execute() {} };
  const register = (...given) => document.modelContext.registerTool(...given);
  seen.refusals = [
    await failing(() => register()), await failing(() => register(1)), await failing(() => register({})),
    await failing(() => own.call({}, base)), await failing(() => register({ ...base, name: "" })),
    await failing(() => register({ ...base, name: "a b" })), await failing(() => register({ ...base, description: "" })),
    await failing(() => register({ ...base, execute: 1 })),
    await failing(() => register({ ...base, inputSchema: circular })),
    await failing(() => register({ ...base, inputSchema: { toJSON() { throw new RangeError("mine"); } } })),
    await failing(() => register({ ...base, inputSchema: { toJSON() { return undefined; } } })),
    await failing(() => register({ ...base, get description() { throw new RangeError("theirs"); } })),
    await failing(() => register(base, { exposedTo: 1 })), await failing(() => register(base, { exposedTo: ["x"] })),
    await failing(() => register(base, { signal: {} })), await failing(() => register(base)),
    await failing(() => register(base)),
  ].map((told) => told.map((text) => text?.replace(/:\\d+:\\d+/g, "")));
  seen.synchronous = [
    synchronous(() => new own()), synchronous(() => Function.prototype.toString.call({})),
    synchronous(() => new Function.prototype.toString()),
  ];
  const order = [];
  const plain = register({ ...base, name: "timed" }).then(() => order.push("registered"));
  order.push("returned");
  await plain;
  seen.order = order;
  seen.isPromise = register({ ...base, name: "promised" }) instanceof Promise;
  const unhandled = new Promise((resolve) => addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    resolve([event.reason.name, event.promise instanceof Promise]);
  }, { once: true }));
  register({});
  seen.unhandled = await unhandled;
  // The browser itself asks for an icon, sooner or later.
  const asked = performance.getEntriesByType("resource").filter((entry) => !entry.name.endsWith("/favicon.ico"));
  seen.resources = asked.map((entry) => entry.name);
  return seen;
})()"""


PROBING = page(f"const before = Object.getOwnPropertyNames(globalThis); const probing = {PROBE}")
SEEN = "probing.then((seen) => ({...seen, globals: before}))"


async def test_the_hook_does_not_change_the_results_of_page_calls(site: Site, cdp: str) -> None:
    url = site.put("/page", PROBING.replace("</script>", f";{tool('ask', f'() => {SEEN}')}</script>"))
    async with visiting(url, cdp) as visit:
        hooked = await visit.result("ask")
    async with opened(cdp, url) as evaluate:
        plain = await evaluate(SEEN)
    assert isinstance(hooked, dict)
    assert isinstance(plain, dict)
    assert len(plain) > 10
    for key, value in plain.items():
        assert hooked[key] == value, (key, hooked[key], value)


async def test_changed_prototypes_of_the_page_do_not_affect_the_hook(site: Site, cdp: str) -> None:
    hostile = """
      const stolen = [];
      for (const [holder, keys] of [
        [Reflect, ["apply", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf", "defineProperty"]],
        [JSON, ["stringify"]], [Array, ["isArray"]], [Number, ["isFinite"]], [Object, ["keys", "entries"]],
        [String.prototype, ["slice", "indexOf"]], [WeakMap.prototype, ["get", "set"]], [Array.prototype, ["push"]],
      ]) for (const key of keys) {
        const original = holder[key];
        holder[key] = function (...given) { stolen.push(key); return original.apply(this, given); };
      }
      Object.prototype.toJSON = function () { stolen.push("toJSON"); return "forged"; };
      String.prototype.toJSON = Object.prototype.toJSON;
      Object.defineProperty(Array.prototype, "0", { set() { stolen.push("0"); }, configurable: true });
      stolen.length = 0;
    """
    told = (
        "document.modelContext.registerTool({name: 'a', description: 'b',"
        " annotations: {sensitiveHint: true}, execute: () => 1}); const atOnce = stolen.join();"
        " delete Object.prototype.toJSON; delete String.prototype.toJSON; delete Array.prototype[0];"
    )
    asking = tool("ask", "() => [atOnce]")
    async with visiting(site.put("/page", page(hostile, told, asking)), cdp) as visit:
        declared = visit.facts("a").declared
        stolen = await visit.result("ask")
    assert isinstance(declared, dict)
    assert declared["annotations"] == {"sensitiveHint": True}
    assert stolen == [""]


async def test_a_blank_frame_does_not_bypass_the_hook(site: Site, cdp: str) -> None:
    around = """
      const frame = document.createElement("iframe");
      document.body.append(frame);
      const other = frame.contentWindow.ModelContext?.prototype.registerTool ?? ModelContext.prototype.registerTool;
      other.call(document.modelContext, {name: "a", description: "b", outputSchema: {"x-sensitive": true}, execute() {}});
    """
    async with visiting(site.put("/page", page(around, body="<p>")), cdp) as visit:
        declared = visit.facts("a").declared
    assert isinstance(declared, dict)
    assert declared["outputSchema"] == {"x-sensitive": True}


async def test_large_deep_and_circular_declarations_are_cut_and_sensitive(site: Site, cdp: str) -> None:
    html = page(
        "const ring = {}; ring.ring = ring",
        "let deep = {}; for (let i = 0; i < 500; i++) deep = {deep}",
        "const large = {text: 'x'.repeat(1 << 20)}",
        *(
            tool(name, outputSchema=f"{{type: 'object', examples: [{name}]}}")
            for name in ("ring", "deep", "large")
        ),
    )
    async with visiting(site.put("/page", html), cdp) as visit:
        for name, reason in (("ring", "circular"), ("deep", "too deep"), ("large", "too large")):
            schema = visit.tool(name).output_schema
            assert reason in json.dumps(schema)
            assert isinstance(schema, dict)
            members = schema["allOf"]
            assert isinstance(members, list)
            assert members[-1] == {"$ref": "sightline:unread"}


async def test_a_page_cannot_forge_a_report_of_the_hook(site: Site, cdp: str) -> None:
    looking = """
      const suspicious = [];
      for (const key of Reflect.ownKeys(globalThis)) {
        const text = String(key);
        if (/^[bs][0-9a-f]{24}$/.test(text)) suspicious.push(text);
      }
    """
    async with visiting(site.put("/page", page(looking, tool("ask", "() => suspicious"))), cdp) as visit:
        assert await visit.result("ask") == []
