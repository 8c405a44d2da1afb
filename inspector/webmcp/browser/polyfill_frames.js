// Frames of other origins, a part of polyfill.js. An expression: a function of { link, tools, run, changedHere, later, method } that gives
// { isAllowed, isKnown, asked, onAllowed, list, poke, isFar, runIn }. `link` is the token by which the polyfills of a page's frames recognise each other's
// messages. It grants no access: each frame lists and runs only tools that are exposed to the asking origin.
// The parent frame reads the permissions policy from the element of a frame. Differs from a browser: `Permissions-Policy` headers are not
// visible, and elements in shadow trees are not found, so their frames may not register tools.
((given) => {
  "use strict";
  const { link, tools, run, changedHere, later, method } = given;
  const PATIENCE_MS = 1000;
  const FEATURE = "tools";
  const { isArray } = Array;
  const dataOf = method(MessageEvent, "data");
  const stop = method(Event, "stopImmediatePropagation");
  const attribute = method(Element, "getAttribute");

  const originOf = (text) => (URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI).origin : "null");
  const stated = (element) => {
    for (const directive of (attribute(element, "allow") ?? "").split(";")) {
      const [feature, ...names] = directive.trim().split(/\s+/);
      if (feature === FEATURE) return names.length ? names : ["'src'"];
    }
    return ["'self'"];
  };
  const sourceOf = (element) => (element.hasAttribute("srcdoc") || !element.hasAttribute("src") ? origin : originOf(attribute(element, "src")));
  const grants = (element, theirs) =>
    stated(element).some((name) => {
      if (name === "*") return true;
      const granted = name === "'self'" ? origin : name === "'src'" ? sourceOf(element) : name === "'none'" ? "null" : originOf(name);
      return granted !== "null" && granted === theirs;
    });
  const elementOf = (view) => {
    for (const each of document.querySelectorAll("iframe, frame, object, embed")) if (each.contentWindow === view) return each;
    return null;
  };

  const post = (view, to, content, heard) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (event) => heard(dataOf(event));
    view.postMessage([link, ...content], to, [port2]);
    return port1;
  };
  const waiting = (start, absent) =>
    new Promise((resolve) => {
      later(() => resolve(absent), PATIENCE_MS);
      start(resolve);
    });

  // What the elements around this frame allow, up to the first frame of another origin; undefined where that one has to be asked.
  const near = () => {
    for (let view = window; view !== top; view = view.parent) {
      let element = null;
      try {
        element = view.frameElement;
      } catch {}
      if (!element) return undefined;
      if (!grants(element, origin)) return false;
    }
    return true;
  };
  let verdict = near();
  let onVerdict = () => {};
  const asked =
    verdict === undefined && link
      ? waiting((resolve) => post(parent, "*", ["permission"], (said) => resolve(said === true)), false)
      : Promise.resolve(verdict === true);
  asked.then((said) => {
    const isNew = verdict !== said;
    verdict = said;
    if (isNew && said) onVerdict();
  });

  const views = () => {
    const found = [];
    const visit = (view) => {
      found.push(view);
      for (let index = 0; index < view.length; index++) visit(view[index]);
    };
    visit(top);
    return found;
  };
  const isFar = (view) => {
    try {
      return !view.document;
    } catch {
      return true;
    }
  };
  // Asks every frame of another origin for its tools, and continues with those in `origins`; others get no message.
  const among = (origins, use) => {
    if (!link || !origins.length) return [];
    return views()
      .filter(isFar)
      .map((view) => waiting((resolve) => post(view, "*", ["who"], (theirs) => (origins.includes(theirs) ? use(view, theirs, resolve) : resolve([]))), []));
  };

  const visible = (theirs) => {
    const found = [];
    for (const name in tools) {
      const { title, description, schema, annotations, exposedTo } = tools[name];
      if (exposedTo.includes(theirs)) found.push({ name, title, description, schema, annotations });
    }
    return found;
  };
  const commands = {
    __proto__: null,
    permission: async ({ source, origin: theirs }, port) => {
      const element = elementOf(source);
      port.postMessage((await asked) && element !== null && grants(element, theirs));
    },
    who: (_, port) => port.postMessage(origin),
    tools: ({ origin: theirs }, port) => port.postMessage(visible(theirs)),
    changed: () => changedHere(),
    run: ({ origin: theirs }, port, [, , name, input]) => {
      if (!tools[name]?.exposedTo.includes(theirs)) return port.postMessage(["Error"]);
      port.postMessage(["Started"]);
      const cancel = run(name, input, (status, value) => port.postMessage(status === "Completed" ? [status, value] : [status]));
      port.onmessage = () => cancel();
    },
  };
  if (link) {
    addEventListener(
      "message",
      (event) => {
        const data = dataOf(event);
        if (!isArray(data) || data[0] !== link) return;
        stop(event);
        if (event.ports[0]) commands[data[1]]?.(event, event.ports[0], data);
      },
      true
    );
  }

  return {
    isAllowed: () => verdict === true,
    isKnown: () => verdict !== undefined,
    asked,
    onAllowed: (use) => (onVerdict = use),
    list: async (origins) => {
      const use = (view, theirs, resolve) =>
        post(view, theirs, ["tools"], (told) => resolve(told.map((tool) => ({ ...tool, origin: theirs, view }))));
      return (await Promise.all(among(origins, use))).flat();
    },
    poke: (exposedTo) => void among(exposedTo, (view, theirs, resolve) => (post(view, theirs, ["changed"], () => {}), resolve([]))),
    isFar,
    runIn: (view, theirs, name, input, settled) => {
      let isStarted = false;
      const port = post(view, theirs, ["run", name, input], ([status, value]) => {
        isStarted = true;
        if (status !== "Started") settled(status, value);
      });
      later(() => isStarted || settled("Error"), PATIENCE_MS);
      return () => port.postMessage("cancel");
    },
  };
})
