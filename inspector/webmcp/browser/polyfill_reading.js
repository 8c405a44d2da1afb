// How arguments are read, a part of polyfill.js. An expression: a function of { method, isAborted, matched } that gives the conversions.
// Source: Web IDL; WebMCP draft, sections 4.2.1 and 4.2.2.
((given) => {
  "use strict";
  const { method, isAborted, matched } = given;
  const { stringify } = JSON;
  const { DOMException, TypeError, URL } = globalThis;
  const wellFormed = method(String, "toWellFormed");
  const HINTS = ["consequentialHint", "debugging", "readOnlyHint", "untrustedContentHint"];
  const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
  const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

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
  return { fail, text, isObject, object, dictionary, member, callable, signalIn, hints, jsonText, origins, trustworthy, wellFormed, NAME };
})
