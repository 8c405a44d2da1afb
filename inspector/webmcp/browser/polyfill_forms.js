// Forms as tools, a part of polyfill.js. An expression: a function of { tools, method, later, isAllowed, changed, fail } that gives
// { refresh, run }. Follows the explainer (webmachinelearning/webmcp, declarative-api-explainer.md), and Chromium 156 where the explainer
// is silent.
// Differs from a browser: no `:tool-form-active` and `:tool-submit-active`; `input` and `change` are not trusted; forms in shadow trees are
// ignored.
((given) => {
  "use strict";
  const { tools, method, later, isAllowed, changed, fail } = given;
  const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
  const FORMS = "form[toolname][tooldescription]";
  const READ = ["toolname", "tooldescription", "tooltitle", "toolautosubmit", "toolparamdescription", "name", "type", "value", "form", "for"];
  const RULES = ["required", "pattern", "min", "max", "step", "multiple", "disabled", "readonly", "id"];
  const NO_FIELDS = ["button", "submit", "reset", "image", "hidden", "file"];
  const CONTROLS = "input, select, textarea, button, meter, output, progress";
  const DATES = "Dates MUST be provided in 'YYYY-MM-DD' format.";
  const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]";
  const MONTH = "[0-9]{4}-(0[1-9]|1[0-2])";
  const FORMATS = {
    color: "^#[0-9a-zA-Z]{6}$",
    time: `^${TIME}$`,
    "datetime-local": `^${MONTH}-[0-9]{2}T${TIME}$`,
    month: `^${MONTH}$`,
    week: "^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$",
  };
  // A control named `elements` hides the form's own property.
  const listedIn = method(HTMLFormElement, "elements");
  const elementsOf = (form) => [...listedIn(form)];
  const isValid = method(HTMLFormElement, "checkValidity");
  const submit = method(HTMLFormElement, "requestSubmit");
  const attribute = method(Element, "getAttribute");
  const isPrevented = method(Event, "defaultPrevented");
  const valueSetter = (owner) => Object.getOwnPropertyDescriptor(owner.prototype, "value").set;
  const setters = [HTMLInputElement, HTMLTextAreaElement].map((owner) => [owner, valueSetter(owner)]);

  const isGroup = ([first, ...rest]) => rest.every(({ type }) => type === first.type) && ["radio", "checkbox"].includes(first.type);
  const isField = (each) =>
    each instanceof HTMLInputElement ? !NO_FIELDS.includes(each.type) : each instanceof HTMLSelectElement || each instanceof HTMLTextAreaElement;
  const fieldsOf = (form) => {
    const named = { __proto__: null };
    for (const each of elementsOf(form)) {
      if (isField(each) && !each.readOnly && !each.matches(":disabled")) (named[each.name] ??= []).push(each);
    }
    for (const name in named) if (named[name].length > 1 && !isGroup(named[name])) delete named[name];
    return named;
  };

  const textIn = (node) => {
    let text = "";
    for (const each of node.childNodes) text += each.nodeType === 3 ? each.data : each.nodeType === 1 && !each.matches(CONTROLS) ? textIn(each) : "";
    return text;
  };
  const labelOf = (field) =>
    [...(field.labels ?? [])]
      .map((label) => textIn(label).trim())
      .filter(Boolean)
      .join("; ");
  const choices = (pairs) => ({
    type: "string",
    anyOf: pairs.map(([value, title]) => ({ type: "string", const: value, ...(title && { title }) })),
    enum: pairs.map(([value]) => value),
  });
  const several = (pairs) => ({ type: "array", items: choices(pairs), uniqueItems: true });
  const numbers = (field) => {
    const isRange = field.type === "range";
    const read = (text, absent) => (text === null || text.trim() === "" || !isFinite(text) ? absent : Number(text));
    const least = read(attribute(field, "min"), isRange ? 0 : undefined);
    const most = read(attribute(field, "max"), isRange ? 100 : undefined);
    const given = attribute(field, "step");
    const step = read(given, 1) > 0 ? read(given, 1) : 1;
    const from = least ?? read(attribute(field, "value"), 0);
    const isFree = given?.trim().toLowerCase() === "any" || Math.abs(from / step - Math.round(from / step)) > 1e-9;
    return {
      type: "number",
      ...(least !== undefined && { minimum: least }),
      ...(most !== undefined && { maximum: most }),
      ...(!isFree && { multipleOf: step }),
    };
  };
  const memberOf = (fields) => {
    const [field] = fields;
    const isLone = fields.length === 1;
    const said = isLone ? (attribute(field, "toolparamdescription") ?? labelOf(field)) : "";
    const noted = (schema, text) => (text ? { ...schema, description: text } : schema);
    if (field.type === "radio") return noted(choices(fields.map((each) => [each.value, labelOf(each)])), said);
    if (!isLone) return several(fields.map((each) => [each.value, labelOf(each)]));
    if (field instanceof HTMLSelectElement) {
      const pairs = [...field.options].map((each) => [each.value, each.text]);
      return noted(field.multiple ? several(pairs) : choices(pairs), said);
    }
    if (field.type === "checkbox") return noted({ type: "boolean" }, said);
    if (field.type === "number" || field.type === "range") return noted(numbers(field), said);
    if (field.type === "date") return noted({ type: "string", format: "date" }, said ? `${said} (${DATES})` : DATES);
    const pattern = field.pattern && !FORMATS[field.type] && { pattern: field.pattern };
    return noted({ type: "string", ...pattern, ...(FORMATS[field.type] && { format: FORMATS[field.type] }) }, said);
  };
  const schemaOf = (form) => {
    const named = fieldsOf(form);
    const properties = { __proto__: null };
    const required = [];
    for (const name in named) {
      properties[name] = memberOf(named[name]);
      if (named[name].some((each) => each.required)) required.push(name);
    }
    return JSON.stringify({ type: "object", properties, required });
  };

  const running = new Map();
  const shown = new Map();
  const renewed = () => {
    const found = new Map();
    for (const form of isAllowed() ? document.querySelectorAll(FORMS) : []) {
      const name = attribute(form, "toolname");
      if (!NAME.test(name) || found.has(name) || (tools[name] && !tools[name].form)) continue;
      const told = { name, title: attribute(form, "tooltitle") ?? "", description: attribute(form, "tooldescription"), schema: schemaOf(form) };
      const isAutomatic = attribute(form, "toolautosubmit") !== null;
      found.set(name, { tool: { ...told, annotations: null, exposedTo: [], form, isAutomatic }, text: JSON.stringify([told, isAutomatic]) });
    }
    let isOther = false;
    for (const [name, { text, tool }] of shown) {
      const now = found.get(name);
      if (now?.text === text && now.tool.form === tool.form) continue;
      delete tools[name];
      shown.delete(name);
      running.get(tool.form)?.cancel("Tool execution cancelled, since tool definition was updated");
      isOther = true;
    }
    for (const [name, each] of found) {
      if (shown.has(name)) continue;
      tools[name] = each.tool;
      shown.set(name, each);
      isOther = true;
    }
    if (isOther) changed(null);
  };
  const refresh = () => {
    try {
      renewed();
    } catch {
      // A page with broken prototypes loses its form tools only.
    }
  };
  let isDue = false;
  const observed = () => {
    if (!isDue) later(() => ((isDue = false), refresh()));
    isDue = true;
  };
  new MutationObserver(observed).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: [...READ, ...RULES] });

  const put = (field, text) => {
    const [, set] = setters.find(([owner]) => field instanceof owner);
    Reflect.apply(set, field, [text]);
    // A control clears a value that it cannot hold.
    if (field.type === "color") return field.value === text.toLowerCase();
    return text === "" || field.value !== "" || field instanceof HTMLTextAreaElement;
  };
  const chosen = (list, flag, values) => {
    const known = list.map(({ value }) => value);
    if (!values.every((value) => known.includes(value))) return false;
    for (const each of list) each[flag] = values.includes(each.value);
    return true;
  };
  const fill = (fields, value) => {
    const [field] = fields;
    if (field.type === "select-multiple" || (fields.length > 1 && field.type === "checkbox")) {
      const isSelect = field instanceof HTMLSelectElement;
      return Array.isArray(value) && chosen(isSelect ? [...field.options] : fields, isSelect ? "selected" : "checked", value);
    }
    if (!["string", "number", "boolean"].includes(typeof value)) return false;
    const text = String(value);
    if (field.type === "radio") return chosen(fields, "checked", [text]);
    if (field instanceof HTMLSelectElement) return chosen([...field.options], "selected", [text]);
    if (field.type !== "checkbox") return put(field, text);
    if (text !== "true" && text !== "false") return false;
    field.checked = text === "true";
    return true;
  };
  // The browser's message about a value that the form rejects; empty where it accepts all.
  const filled = (form, input) => {
    const named = fieldsOf(form);
    const names = elementsOf(form).map(({ name }) => name);
    for (const name in input) if (!names.includes(name)) return `Input contains a parameter "${name}" but there is no such parameter for the tool`;
    for (const name in input) {
      const value = input[name];
      if (!named[name] || !fill(named[name], value)) return `Invalid value ${typeof value === "string" ? `${JSON.stringify(value)} ` : ""}for parameter ${name}`;
      for (const type of ["input", "change"]) named[name][0].dispatchEvent(new Event(type, { bubbles: true }));
    }
    return "";
  };
  const invalid = (form, button) => {
    if (form.hasAttribute("novalidate") || button?.formNoValidate || isValid(form)) return "";
    const wrong = elementsOf(form).filter((each) => each.validity && !each.validity.valid);
    return `Form validation failed: ${wrong.map((each) => `${each.name}: ${each.validationMessage}. `).join("")}`;
  };

  const events = new WeakSet();
  const answers = new WeakMap();
  const submitted = (run) => {
    const { event, settle, leave } = run;
    running.delete(run.form);
    if (!isPrevented(event)) return leave();
    if (!answers.has(event)) {
      const wrong = "it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result";
      return settle({ refused: `The site has a programming error: ${wrong}` });
    }
    Promise.resolve(answers.get(event)).then(
      (value) => settle({ value }),
      () => settle({ refused: "respondWith promise was rejected" })
    );
  };
  addEventListener(
    "submit",
    (event) => {
      const run = running.get(event.target);
      if (!run || run.event) return;
      run.event = event;
      events.add(event);
      // After all listeners, and before the new document loads.
      if (!run.isAutomatic) later(() => submitted(run));
    },
    true
  );
  addEventListener("reset", (event) => running.get(event.target)?.cancel("Tool execution cancelled by a form reset"), true);

  const respond = {
    get agentInvoked() {
      return events.has(this);
    },
    respondWith(agentResponse) {
      if (arguments.length < 1) throw new TypeError("1 argument required, but only 0 present.");
      if (!events.has(this)) throw fail("InvalidStateError", "No agent submitted the form.");
      if (!isPrevented(this)) throw fail("InvalidStateError", "To call respondWith, you must first call preventDefault.");
      answers.set(this, agentResponse);
    },
  };
  for (const key of ["agentInvoked", "respondWith"]) {
    Object.defineProperty(SubmitEvent.prototype, key, { ...Object.getOwnPropertyDescriptor(respond, key), enumerable: true });
  }

  // Resolves to { value } or { refused }; calls `leave` and never resolves where the form leaves the document.
  const run = ({ form, isAutomatic }, input, { signal, cancel, leave }) =>
    new Promise((settle) => {
      running.get(form)?.cancel();
      const button = elementsOf(form).find((each) => each.type === "submit" || each.type === "image");
      const refused =
        (!isAutomatic && !button && "No submit button was found, but for a form without `toolautosubmit`, there must be a submit button") ||
        filled(form, input) ||
        (isAutomatic && invalid(form, button));
      if (refused) return settle({ refused });
      const going = { form, isAutomatic, event: null, settle, leave, cancel };
      running.set(form, going);
      signal.addEventListener("abort", () => running.get(form) === going && running.delete(form));
      if (!isAutomatic) return button.focus();
      submit(form, button);
      if (going.event) return submitted(going);
      running.delete(form);
      settle({ refused: "The form was not submitted" });
    });

  return { refresh, run };
})
