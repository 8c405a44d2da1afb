// Reports what a page declares, before the browser drops any of it. An expression: a function of the name of the binding
// for reports, the name of this script, and the proof that each report carries. It runs before any script of the page, in
// every frame, and keeps its own references: later changes of prototypes have no effect here. It runs no code of the page:
// accessors are named, not called, and `toJSON` is not called.
((bindingName, ownScript, proof) => {
  "use strict";
  const tell = globalThis[bindingName];
  delete globalThis[bindingName];
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
  const { stringify } = JSON;
  const { isArray } = Array;
  const { isFinite } = Number;
  const { indexOf, slice, charCodeAt } = String.prototype;
  const text = String;
  const ErrorClass = Error;
  const ProxyClass = Proxy;
  const PromiseClass = Promise;
  const { then } = Promise.prototype;
  const FunctionPrototype = Function.prototype;
  if (typeof tell !== "function" || typeof ModelContext !== "function") return;

  const MAX_CHARACTERS = 262144;
  const MAX_DEPTH = 200;
  const INHERITED = ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "execute"];
  const ContextPrototype = ModelContext.prototype;
  const { get: isAborted } = getOwnPropertyDescriptor(AbortSignal.prototype, "aborted");
  const { get: nameOf } = getOwnPropertyDescriptor(DOMException.prototype, "name");
  const { get: messageOf } = getOwnPropertyDescriptor(DOMException.prototype, "message");
  // Names that were passed to `registerTool` here. The browser refuses a name that is still registered.
  const given = { __proto__: null };
  const isForbidden = (() => {
    try {
      const { featurePolicy } = document;
      return featurePolicy.features().includes("tools") && !featurePolicy.allowsFeature("tools");
    } catch {
      return false;
    }
  })();

  const find = (object, key) => {
    for (let holder = object, steps = 0; holder !== null && steps < 100; steps++) {
      const found = getOwnPropertyDescriptor(holder, key);
      if (found) return found;
      holder = getPrototypeOf(holder);
    }
    return undefined;
  };

  const unread = (room, why) => {
    room.whole = false;
    return '"[not read: ' + why + ']"';
  };

  // `room` is shared by the whole report. Writing an array by index could call setters that the page put on
  // Array.prototype, so the text is only concatenated.
  const written = (value, room, depth, above) => {
    if (room.left <= 0) return unread(room, "too large");
    switch (typeof value) {
      case "string": {
        if (value.length > room.left) room.whole = false;
        const shown = value.length > room.left ? apply(slice, value, [0, room.left]) + "[not read: too large]" : value;
        room.left -= shown.length + 2;
        return stringify(shown);
      }
      case "number":
        room.left -= 8;
        return isFinite(value) ? text(value) : stringify("[" + text(value) + "]");
      case "boolean":
        room.left -= 5;
        return value ? "true" : "false";
      case "undefined":
        room.left -= 12;
        return '"[undefined]"';
      case "function":
        room.left -= 10;
        return '"[function]"';
      case "symbol":
        room.left -= 8;
        return '"[symbol]"';
      case "bigint":
        room.left -= 20;
        room.hasText = false;
        return '"[bigint]"';
      default:
        if (value === null) {
          room.left -= 4;
          return "null";
        }
        return writtenObject(value, room, depth, above);
    }
  };

  const writtenObject = (value, room, depth, above) => {
    room.left -= 2;
    if (depth > MAX_DEPTH) return unread(room, "too deep");
    for (let step = above; step; step = step.above) {
      if (step.value === value) return unread(room, "circular");
    }
    const here = { value, above };
    if (isArray(value)) {
      let parts = "";
      const length = getOwnPropertyDescriptor(value, "length").value;
      for (let index = 0; index < length; index++) {
        if (room.left <= 0) return "[" + parts + (index ? "," : "") + unread(room, "too large") + "]";
        const found = getOwnPropertyDescriptor(value, text(index));
        parts += (index ? "," : "") + writtenMember(found, room, depth, here);
      }
      return "[" + parts + "]";
    }
    let members = "";
    const keys = ownKeys(value);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      if (typeof key !== "string") continue;
      const found = getOwnPropertyDescriptor(value, key);
      if (!found || !found.enumerable) continue;
      if (key === "toJSON") room.whole = false;
      if (room.left <= 0) return "{" + members + (members ? "," : "") + '"[not read]":' + unread(room, "too large") + "}";
      members += (members ? "," : "") + written(key, room, depth, here) + ":" + writtenMember(found, room, depth, here);
    }
    if (depth === 0) {
      for (let index = 0; index < INHERITED.length; index++) {
        const key = INHERITED[index];
        if (getOwnPropertyDescriptor(value, key)) continue;
        const found = find(value, key);
        if (!found) continue;
        members += (members ? "," : "") + stringify(key) + ":" + writtenMember(found, room, depth, here);
      }
    }
    return "{" + members + "}";
  };

  const writtenMember = (found, room, depth, here) => {
    if (!found) return "null";
    return "value" in found ? written(found.value, room, depth + 1, here) : unread(room, "accessor");
  };

  const report = (kind, list) => {
    const room = { left: MAX_CHARACTERS, whole: true, hasText: true };
    const tool = list.length > 0 ? written(list[0], room, 0, null) : "null";
    const options = list.length > 1 ? written(list[1], room, 0, null) : "null";
    tell('{"proof":"' + proof + '","call":' + stringify(kind) + ',"whole":' + (room.whole ? "true" : "false") + ',"tool":' + tool + ',"options":' + options + "}");
    return room.whole && room.hasText;
  };

  const cut = (words) => (typeof words === "string" ? apply(slice, words, [0, 2000]) : "");
  // Runs no code of the page: the message of a browser's error is read through the saved accessors.
  const wordsOf = (error) => {
    if (typeof error !== "object" || error === null) return "";
    try {
      return cut(apply(nameOf, error, []) + ": " + apply(messageOf, error, []));
    } catch {}
    const name = find(error, "name");
    const message = find(error, "message");
    return cut(name && name.value) + ": " + cut(message && message.value);
  };
  const reportRefusal = (list, error, place) => {
    const tool = list[0];
    const name = typeof tool === "object" && tool !== null ? find(tool, "name") : undefined;
    const named = name && typeof name.value === "string" ? stringify(cut(name.value)) : "null";
    tell('{"proof":"' + proof + '","call":"refused","name":' + named + ',"reason":' + stringify(wordsOf(error)) + ',"place":' + stringify(place) + "}");
  };
  // The calling line of the page's stack; none where the page formats stacks itself.
  const placeOfCall = () => {
    if (getOwnPropertyDescriptor(ErrorClass, "prepareStackTrace")) return "";
    let rest = new ErrorClass().stack;
    if (typeof rest !== "string") return "";
    while (rest !== "") {
      const end = apply(indexOf, rest, ["\n"]);
      const line = end < 0 ? rest : apply(slice, rest, [0, end]);
      rest = end < 0 ? "" : apply(slice, rest, [end + 1]);
      if (apply(indexOf, line, ["    at "]) === 0 && apply(indexOf, line, [ownScript]) < 0) return cut(line);
    }
    return "";
  };

  // Whether the browser certainly accepts the arguments. Where it may refuse them, it creates an error with a stack.
  const isPlain = (self, list) => {
    const tool = list[0];
    if (typeof tool !== "object" || tool === null || !isContext(self)) return false;
    for (let index = 0; index < INHERITED.length; index++) {
      const key = INHERITED[index];
      const found = find(tool, key);
      const kind = found && typeof found.value;
      const isText = key === "name" || key === "title" || key === "description";
      if (key === "execute" ? kind !== "function" : isText ? kind !== "string" && (key !== "title" || found) : found && kind !== "object") {
        return false;
      }
    }
    const options = list[1];
    if (options === undefined) return true;
    if (typeof options !== "object" || options === null) return false;
    const exposed = find(options, "exposedTo");
    const signal = find(options, "signal");
    // Throws for a value that is not a signal.
    if (signal && apply(isAborted, signal.value, [])) return false;
    return !exposed;
  };
  // Whether name and description follow the draft's rules, and the name is new.
  const isLawful = (tool) => {
    const { value: name } = find(tool, "name");
    if (isForbidden || name.length < 1 || name.length > 128 || find(tool, "description").value === "") return false;
    for (let index = 0; index < name.length; index++) {
      const code = apply(charCodeAt, name, [index]);
      const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
      if (!isLetter && !(code >= 48 && code <= 57) && code !== 95 && code !== 45 && code !== 46) return false;
    }
    if (given[name]) return false;
    given[name] = true;
    return true;
  };
  const isContext = (self) => {
    for (let holder = self, steps = 0; typeof holder === "object" && holder !== null && steps < 100; steps++) {
      if (holder === ContextPrototype) return self !== ContextPrototype;
      holder = getPrototypeOf(holder);
    }
    return false;
  };

  // Hides this script from the page's stack, unless the page formats stacks itself.
  const cleaned = (error) => {
    if (typeof error !== "object" || error === null) return;
    if (getOwnPropertyDescriptor(ErrorClass, "prepareStackTrace") || !getOwnPropertyDescriptor(error, "stack")) return;
    let rest = error.stack;
    if (typeof rest !== "string" || apply(indexOf, rest, [ownScript]) < 0) return;
    let kept = "";
    while (rest !== "") {
      const end = apply(indexOf, rest, ["\n"]);
      const line = end < 0 ? rest : apply(slice, rest, [0, end + 1]);
      rest = end < 0 ? "" : apply(slice, rest, [end + 1]);
      if (apply(indexOf, line, [ownScript]) < 0) kept += line;
    }
    error.stack = kept[kept.length - 1] === "\n" ? apply(slice, kept, [0, kept.length - 1]) : kept;
  };

  const originals = new WeakMap();
  const { get: originalOf, set: remember } = WeakMap.prototype;

  const wrap = (holder, key, before) => {
    const found = getOwnPropertyDescriptor(holder, key);
    if (!found || typeof found.value !== "function") return;
    const proxy = new ProxyClass(found.value, {
      __proto__: null,
      apply(target, self, list) {
        try {
          return before(target, self, list);
        } catch (error) {
          try {
            cleaned(error);
          } catch {}
          throw error;
        }
      },
    });
    apply(remember, originals, [proxy, found.value]);
    defineProperty(holder, key, { __proto__: null, ...found, value: proxy });
  };

  const telling = (kind) => (target, self, list) => {
    let isSure = false;
    try {
      isSure = report(kind, list) && isPlain(self, list) && isLawful(list[0]);
    } catch {}
    let place = "";
    try {
      if (!isSure) place = placeOfCall();
    } catch {}
    const refused = (error) => {
      try {
        reportRefusal(list, error, place);
      } catch {}
    };
    let answer;
    try {
      answer = apply(target, self, list);
    } catch (error) {
      refused(error);
      throw error;
    }
    if (isSure || typeof answer !== "object" || answer === null) return answer;
    // A refusal is a rejection. Removing this script's lines from its stack takes a turn of the task queue, so only
    // calls that may be refused take this path. Handling this promise has no effect for the page.
    return new PromiseClass((resolve, reject) => {
      apply(then, answer, [
        resolve,
        (error) => {
          refused(error);
          try {
            cleaned(error);
          } catch {}
          reject(error);
        },
      ]);
    });
  };

  wrap(ContextPrototype, "registerTool", telling("registerTool"));
  wrap(ContextPrototype, "provideContext", telling("provideContext"));
  // A proxy's text names no function; these must read like the functions that they replace.
  wrap(FunctionPrototype, "toString", (target, self, list) => {
    const original = typeof self === "function" ? apply(originalOf, originals, [self]) : undefined;
    return apply(target, original === undefined ? self : original, list);
  });
})
