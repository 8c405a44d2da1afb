// WebMCP for pages in a browser that has none: `document.modelContext` as the draft says (webmachinelearning/webmcp, index.bs).
// It does nothing where the browser has an API of its own, or where the page is no secure context. By itself it is the API alone.
// With a block around it, `{ const sightlineHost = ["CHANNEL", (polyfill_host.js)("BINDING")];\n...this file...\n}`, a host can
// list and call its tools: polyfill_host.js says how. CHANNEL is a name that no page can guess, the same in all frames.
// Not as in a browser: no declarative tools, which the draft leaves open; frames of another origin may not register, for nothing
// here can read the `allow` of their element; getTools() and executeTool() reach frames of the same origin only.
((channel, host) => {
  "use strict";
  if (!isSecureContext || "modelContext" in document || "modelContext" in navigator) return;

  // A page may change every prototype later. Whatever touches the channel's name is taken along from here.
  const { apply, ownKeys, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const { parse, stringify } = JSON;
  const { setTimeout: later, DOMException, CustomEvent, Event, EventTarget, AbortController, Promise, TypeError, URL } = globalThis;
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
  const wellFormed = method(String, "toWellFormed");
  const sort = method(Array, "sort");
  const viewOf = method(Document, "defaultView");

  const HINTS = ["consequentialHint", "debugging", "readOnlyHint", "untrustedContentHint"];
  const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
  const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;
  const tools = { __proto__: null };

  const fail = (name, message) => new DOMException(message, name);
  const text = (value) => `${value}`;
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
  const object = (value, what) => {
    if (!isObject(value)) throw new TypeError(`The ${what} is no object.`);
    return value;
  };
  const dictionary = (value, what) => (value === undefined || value === null ? { __proto__: null } : object(value, what));
  const member = (holder, key, convert, isRequired) => {
    const value = holder[key];
    if (value === undefined && isRequired) throw new TypeError(`The member ${key} is missing.`);
    return value === undefined ? undefined : convert(value, key);
  };
  const callable = (value, what) => {
    if (typeof value !== "function") throw new TypeError(`The ${what} is no function.`);
    return value;
  };
  const signalIn = (options) =>
    member(options, "signal", (value) => {
      isAborted(value);
      return value;
    });
  const hints = (given) => {
    const read = dictionary(given, "annotations");
    const kept = {};
    for (let index = 0; index < HINTS.length; index++) kept[HINTS[index]] = Boolean(read[HINTS[index]]);
    return kept;
  };
  const jsonText = (value) => {
    const written = stringify(value);
    if (written === undefined) throw new TypeError("The value is no JSON.");
    return written;
  };
  const origins = (given, what) => {
    const found = [];
    if (given === undefined) return found;
    for (const each of object(given, what)) found[found.length] = wellFormed(text(each));
    return found;
  };
  const trustworthy = (given, what) => {
    for (let index = 0; index < given.length; index++) {
      const url = URL.canParse(given[index]) ? new URL(given[index]) : null;
      const isSecure = url && (url.protocol === "https:" || url.protocol === "wss:" || matched(LOOPBACK, url.hostname));
      if (!isSecure || url.origin === "null") throw fail("SecurityError", `Only secure origins may stand in ${what}.`);
      given[index] = url.origin;
    }
    return given;
  };
  const isAllowed = () => {
    const above = location.ancestorOrigins;
    for (let index = 0; index < above.length; index++) if (above[index] !== origin) return false;
    return true;
  };
  const checkUse = (self, count, least) => {
    if (self !== context) throw new TypeError("Illegal invocation");
    if (count < least) throw new TypeError(`${least} argument required, but only ${count} present.`);
  };
  const checkDocument = () => {
    if (!viewOf(document)) throw fail("InvalidStateError", "The document is not active.");
    if (!isAllowed()) throw fail("NotAllowedError", "The permissions policy does not allow tools here.");
  };

  const fire = (event) => dispatch(context, event);
  const changed = () => each((peer) => later(peer.changed));

  // Frames of one origin share this script's realm of trust: the channel's name is what they know each other by.
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
    const work = async () => {
      const tool = tools[name];
      if (!tool) throw fail("NotFoundError", "There is no such tool.");
      const given = object(parse(input), "input");
      fire(new ToolActivatedEvent("toolactivated", { toolName: name }));
      return jsonText(await apply(tool.execute, undefined, [given, { signal: signalOf(controller) }]));
    };
    then(work(), (output) => settle("Completed", output), (error) => settle("Error", error));
    return () => {
      if (!isPending) return;
      settle("Canceled");
      abort(controller);
      fire(new ToolCancelEvent("toolcancel", { toolName: name }));
    };
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
    if (tools[name]) throw fail("InvalidStateError", "There is a tool of that name.");
    if (!matched(NAME, name)) throw fail("InvalidStateError", "The name has to be 1 to 128 ASCII letters, digits, _, - and full stops.");
    if (description === "") throw fail("InvalidStateError", "The description is empty.");
    const schema = inputSchema === undefined ? "" : jsonText(inputSchema);
    if (signal && isAborted(signal)) throw reasonOf(signal);
    const exposedTo = trustworthy(asked, "exposedTo");
    const added = { name, title, description, schema, annotations, exposedTo, execute };
    return new Promise((resolve, reject) => {
      const unregister = () => {
        if (!isAborted(signal) || tools[name] !== added) return;
        delete tools[name];
        changed();
        reject(reasonOf(signal));
      };
      if (signal) listen(signal, "abort", unregister);
      tools[name] = added;
      if (channel) listen(document, channel, hear);
      changed();
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
        let owner;
        each((peer) => {
          if (peer.view === view && expected === origin) owner = peer;
        });
        if (!owner) return void reject(fail("UnknownError", "The tool cannot be reached."));
        cancel = owner.run(name, input, (status, value) =>
          later(() => (status === "Completed" ? resolve(value) : reject(fail("UnknownError", "The tool failed."))))
        );
      });
    });
  };

  const listed = () => {
    const found = [];
    each((peer) => {
      const theirs = peer.tools;
      for (const name in theirs) {
        const { title, description, schema, annotations } = theirs[name];
        found[found.length] = {
          ...(annotations && { annotations: { ...annotations } }),
          description,
          ...(schema && { inputSchema: parse(schema) }),
          name, origin, title,
          window: peer.view,
        };
      }
    });
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
      return execute(object(tool, "tool"), inputObject, options);
    }
    async getTools(options = {}) {
      checkUse(this, 0, 0);
      const asked = origins(dictionary(options, "options").fromOrigins, "fromOrigins");
      checkDocument();
      trustworthy(asked, "fromOrigins");
      return new Promise((resolve) => later(() => resolve(listed())));
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

  const peer = { __proto__: null, view: window, tools, run, changed: () => fire(new Event("toolchange")) };
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

  const command = host({ tools, run, listen, changes: context, isAllowed });
  const hear = (event) => {
    const detail = detailOf(event);
    if (isObject(detail)) detail.peer = peer;
    else command(parse(detail));
  };
  listen(document, channel, hear);
})(...(typeof sightlineHost === "object" ? sightlineHost : []));
