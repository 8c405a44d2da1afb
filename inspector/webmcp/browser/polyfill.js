// WebMCP for pages in a browser that has none: `document.modelContext` as the draft says (webmachinelearning/webmcp, index.bs).
// It does nothing where the browser has its own API, or where the page is not a secure context. It is wrapped in a block that names its
// parts: { const sightline = { reading, forms, frames, channel?, link?, host? };\n...this file...\n}, the first three the expressions in
// polyfill_reading.js, polyfill_forms.js and polyfill_frames.js. With CHANNEL, LINK and host, `(polyfill_host.js)("BINDING")`, a host can list
// and call its tools, and the frames of a page find each other; see polyfill_host.js. CHANNEL and LINK are unguessable, and the same in all
// frames. Without them this is the API of a single document.
((given) => {
  "use strict";
  const { reading, forms: formsOf, frames: framesOf, channel, link, host } = given;
  if (!isSecureContext || "modelContext" in document || "modelContext" in navigator) return;

  // A page may change every prototype later, so functions that handle the channel's name are saved here.
  const { apply, ownKeys, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const { parse } = JSON;
  const { setTimeout: later, CustomEvent, Event, EventTarget, AbortController, Promise, TypeError, URL } = globalThis;
  const method = (owner, name) => {
    const found = getOwnPropertyDescriptor(owner.prototype, name);
    return (self, ...list) => apply(found.value ?? found.get, self, list);
  };
  const listen = method(EventTarget, "addEventListener");
  const dispatch = method(EventTarget, "dispatchEvent");
  const detailOf = method(CustomEvent, "detail");
  const isAborted = method(AbortSignal, "aborted");
  const reasonOf = method(AbortSignal, "reason");
  const signalOf = method(AbortController, "signal");
  const abort = method(AbortController, "abort");
  const then = method(Promise, "then");
  const matched = method(RegExp, "exec");
  const sort = method(Array, "sort");
  const viewOf = method(Document, "defaultView");

  const tools = { __proto__: null };
  const { fail, text, isObject, object, dictionary, member, callable, signalIn, hints, jsonText, origins, trustworthy, wellFormed, NAME } = reading({
    method, isAborted, matched,
  });
  const checkUse = (self, count, least) => {
    if (self !== context) throw new TypeError("Illegal invocation");
    if (count < least) throw new TypeError(`${least} argument required, but only ${count} present.`);
  };
  const checkDocument = () => {
    if (!viewOf(document)) throw fail("InvalidStateError", "The document is not active.");
    if (frames.isKnown() && !frames.isAllowed()) throw fail("NotAllowedError", "The permissions policy does not allow tools here.");
  };

  const fire = (event) => dispatch(context, event);
  const changedHere = () => fire(new Event("toolchange"));
  // `tool`: its exposure names the other origins that are notified; null for none.
  const changed = (tool) => {
    each((peer) => later(peer.changed));
    frames.poke(tool?.exposedTo ?? []);
  };

  // Frames of one origin trust each other: they recognise each other by the channel's name.
  const each = (use) => {
    const visit = (view) => {
      const box = { __proto__: null, peer: view === window ? peer : null };
      try {
        if (!box.peer && channel) dispatch(view.document, new CustomEvent(channel, { __proto__: null, detail: box }));
        if (box.peer) use(box.peer);
      } catch {}
      for (let index = 0; index < view.length; index++) visit(view[index]);
    };
    visit(top);
  };

  const run = (name, input, settled) => {
    const controller = new AbortController();
    let isPending = true;
    const settle = (status, value) => {
      if (isPending) settled(status, value);
      isPending = false;
    };
    const cancel = (reason) => {
      if (!isPending) return;
      settle("Canceled", reason);
      abort(controller);
      fire(new ToolCancelEvent("toolcancel", { toolName: name }));
    };
    const work = async () => {
      forms.refresh();
      const tool = tools[name];
      if (!tool) throw fail("NotFoundError", "There is no such tool.");
      const given = object(parse(input), "input");
      if (!tool.form) {
        fire(new ToolActivatedEvent("toolactivated", { toolName: name }));
        return jsonText(await apply(tool.execute, undefined, [given, { signal: signalOf(controller) }]));
      }
      // A form is filled in first.
      later(() => fire(new ToolActivatedEvent("toolactivated", { toolName: name })));
      const answer = await forms.run(tool, given, { signal: signalOf(controller), cancel, leave: () => isPending && settled("Submitted") });
      if ("value" in answer) return jsonText(answer.value);
      return settle("Refused", answer.refused);
    };
    then(work(), (output) => settle("Completed", output), (error) => settle("Error", error));
    return () => cancel("");
  };

  const register = (tool, options) => {
    const annotations = member(tool, "annotations", hints) ?? null;
    const description = member(tool, "description", text, true);
    const execute = member(tool, "execute", callable, true);
    const inputSchema = member(tool, "inputSchema", object);
    const name = member(tool, "name", text, true);
    const title = member(tool, "title", (value) => wellFormed(text(value))) ?? "";
    const asked = origins(options.exposedTo, "exposedTo");
    const signal = signalIn(options);
    checkDocument();
    const add = () => added({ name, title, description, inputSchema, annotations, asked, execute }, signal);
    if (frames.isKnown()) return add();
    // The parent frame has another origin: ask what its element for this frame allows.
    return then(frames.asked, () => (checkDocument(), add()));
  };
  const added = ({ name, title, description, inputSchema, annotations, asked, execute }, signal) => {
    if (tools[name]) throw fail("InvalidStateError", "There is a tool of that name.");
    if (!matched(NAME, name)) throw fail("InvalidStateError", "The name has to be 1 to 128 ASCII letters, digits, _, - and full stops.");
    if (description === "") throw fail("InvalidStateError", "The description is empty.");
    const schema = inputSchema === undefined ? "" : jsonText(inputSchema);
    if (signal && isAborted(signal)) throw reasonOf(signal);
    const exposedTo = trustworthy(asked, "exposedTo");
    const tool = { name, title, description, schema, annotations, exposedTo, execute };
    return new Promise((resolve, reject) => {
      const unregister = () => {
        if (!isAborted(signal) || tools[name] !== tool) return;
        delete tools[name];
        changed(tool);
        reject(reasonOf(signal));
      };
      if (signal) listen(signal, "abort", unregister);
      tools[name] = tool;
      if (channel) listen(document, channel, hear);
      changed(tool);
      later(resolve);
    });
  };

  const execute = (tool, inputObject, options) => {
    member(tool, "annotations", hints);
    member(tool, "description", text, true);
    member(tool, "inputSchema", object);
    const name = member(tool, "name", text, true);
    const from = member(tool, "origin", (value) => wellFormed(text(value)), true);
    const view = member(tool, "window", object, true);
    if (view.window !== view) throw new TypeError("The member window is no Window.");
    object(inputObject, "input");
    const signal = signalIn(dictionary(options, "options"));
    checkDocument();
    const expected = URL.canParse(from) ? new URL(from).origin : "null";
    if (expected === "null") throw fail("NotSupportedError", "The origin is opaque or none.");
    const input = jsonText(inputObject);
    if (signal && isAborted(signal)) throw reasonOf(signal);
    return new Promise((resolve, reject) => {
      let cancel;
      let isCancelled = false;
      if (signal) {
        listen(signal, "abort", () => {
          if (!isAborted(signal) || isCancelled) return;
          isCancelled = true;
          reject(reasonOf(signal));
          later(() => cancel?.());
        });
      }
      later(() => {
        if (isCancelled) return;
        const settled = (status, value) => {
          if (status === "Submitted") return;
          later(() => (status === "Completed" ? resolve(value) : reject(fail("UnknownError", "The tool failed."))));
        };
        if (channel && frames.isFar(view)) return void (cancel = frames.runIn(view, expected, name, input, settled));
        let owner;
        each((peer) => {
          if (peer.view === view && expected === origin) owner = peer;
        });
        if (!owner) return void reject(fail("UnknownError", "The tool cannot be reached."));
        cancel = owner.run(name, input, settled);
      });
    });
  };

  const listed = (far) => {
    const found = [];
    const add = ({ name, title, description, schema, annotations }, from, view) => {
      found[found.length] = {
        ...(annotations && { annotations: { ...annotations } }),
        description,
        ...(schema && { inputSchema: parse(schema) }),
        name, origin: from, title,
        window: view,
      };
    };
    each((peer) => {
      peer.refresh();
      for (const name in peer.tools) add(peer.tools[name], origin, peer.view);
    });
    for (let index = 0; index < far.length; index++) add(far[index], far[index].origin, far[index].view);
    return sort(found, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  };

  let isMaking = false;
  class ModelContext extends EventTarget {
    constructor() {
      if (!isMaking) throw new TypeError("Illegal constructor");
      super();
    }
    async executeTool(tool, inputObject = {}, options = {}) {
      checkUse(this, arguments.length, 1);
      if (!frames.isKnown()) await frames.asked;
      return execute(object(tool, "tool"), inputObject, options);
    }
    async getTools(options = {}) {
      checkUse(this, 0, 0);
      const asked = origins(dictionary(options, "options").fromOrigins, "fromOrigins");
      if (!frames.isKnown()) await frames.asked;
      checkDocument();
      const far = await frames.list(trustworthy(asked, "fromOrigins"));
      return new Promise((resolve) => later(() => resolve(listed(far))));
    }
    async registerTool(tool, options = {}) {
      checkUse(this, arguments.length, 1);
      return register(object(tool, "tool"), dictionary(options, "options"));
    }
  }

  const eventClass = (className) =>
    ({
      [className]: class extends Event {
        #toolName;
        constructor(type, init = {}) {
          if (arguments.length < 1) throw new TypeError("1 argument required, but only 0 present.");
          super(type, init);
          this.#toolName = text(init?.toolName ?? "");
        }
        get toolName() {
          return this.#toolName;
        }
      },
    })[className];
  const ToolActivatedEvent = eventClass("ToolActivatedEvent");
  const ToolCancelEvent = eventClass("ToolCancelEvent");

  const handlers = (type) => {
    let handler = null;
    let isListening = false;
    const handle = (event) => typeof handler === "function" && apply(handler, context, [event]);
    return {
      get [`on${type}`]() {
        checkUse(this, 0, 0);
        return handler;
      },
      set [`on${type}`](value) {
        checkUse(this, 0, 0);
        handler = isObject(value) ? value : null;
        if (handler && !isListening) listen(context, type, handle);
        isListening ||= handler !== null;
      },
    };
  };

  const define = (target, source) => {
    const names = ownKeys(source);
    for (let index = 0; index < names.length; index++) {
      const found = getOwnPropertyDescriptor(source, names[index]);
      if (names[index] !== "constructor") defineProperty(target, names[index], { ...found, enumerable: true });
    }
  };
  const expose = (Interface, ...more) => {
    for (let index = 0; index < more.length; index++) define(Interface.prototype, more[index]);
    define(Interface.prototype, Interface.prototype);
    defineProperty(Interface.prototype, Symbol.toStringTag, { value: Interface.name, configurable: true });
    defineProperty(globalThis, Interface.name, { value: Interface, writable: true, configurable: true });
  };

  const frames = framesOf({ link, tools, run, changedHere, later, method });
  const forms = formsOf({ tools, method, later, isAllowed: frames.isAllowed, changed, fail });
  frames.onAllowed(forms.refresh);
  const peer = { __proto__: null, view: window, tools, run, refresh: forms.refresh, changed: changedHere };
  expose(ModelContext, handlers("toolcancel"), handlers("toolactivated"), handlers("toolchange"));
  expose(ToolActivatedEvent);
  expose(ToolCancelEvent);
  isMaking = true;
  const context = new ModelContext();
  isMaking = false;
  define(Document.prototype, {
    get modelContext() {
      if (this !== document) throw new TypeError("Illegal invocation");
      return context;
    },
  });
  if (!channel) return;

  const command = host({ tools, run, listen, changes: context, refresh: forms.refresh, isAllowed: frames.isAllowed });
  const hear = (event) => {
    const detail = detailOf(event);
    if (isObject(detail)) detail.peer = peer;
    else command(parse(detail));
  };
  listen(document, channel, hear);
})(sightline);
