// The host's side of polyfill.js. An expression: a function of the name of a binding (`Runtime.addBinding`), which it takes away from
// the page. To command, in an isolated world of the frame (see polyfill.js for CHANNEL):
//   document.dispatchEvent(new CustomEvent("CHANNEL", { detail: JSON.stringify(command) }))
//   list   { command: "list", id }                  answers { type: "tools", id, url, origin, allowed, tools: [Tool] }
//   watch  { command: "watch", id }                 the same, and again with that id after each change
//   invoke { command: "invoke", id, name, input }   answers { type: "toolResponded", id, status, output?, errorText?, exception? }
//   cancel { command: "cancel", id }                the invocation of that id answers with status "Canceled"; nothing where it is over
// Tool = { name, title, description, inputSchema?, annotations?, exposedTo }, its annotations as the WebMCP domain has them:
// { readOnly, untrustedContent, consequential, debugging }. input is JSON text; status is "Completed", "Canceled" or "Error"; output
// is any JSON; exception is { description }, with the stack. Answers come as `Runtime.bindingCalled`, whose context names the frame.
// Nothing is told unasked.
((bindingName) => {
  "use strict";
  const tell = globalThis[bindingName];
  delete globalThis[bindingName];
  const { stringify } = JSON;

  return ({ tools, run, listen, changes, isAllowed }) => {
    // Reports are joined from texts: `stringify` of a string asks no page for its toJSON.
    const flags = ({ readOnlyHint, untrustedContentHint, consequentialHint, debugging }) =>
      `{"readOnly":${readOnlyHint},"untrustedContent":${untrustedContentHint},"consequential":${consequentialHint},"debugging":${debugging}}`;
    const reported = (tool) => {
      let exposed = "";
      for (let index = 0; index < tool.exposedTo.length; index++) exposed += (index ? "," : "") + stringify(tool.exposedTo[index]);
      const schema = tool.schema && `"inputSchema":${tool.schema},`;
      const annotations = tool.annotations ? `"annotations":${flags(tool.annotations)},` : "";
      const named = `"name":${stringify(tool.name)},"title":${stringify(tool.title)},"description":${stringify(tool.description)}`;
      return `{${named},${schema}${annotations}"exposedTo":[${exposed}]}`;
    };
    const tellTools = (id) => {
      let all = "";
      for (const name in tools) all += (all && ",") + reported(tools[name]);
      const frame = `"url":${stringify(document.URL)},"origin":${stringify(origin)},"allowed":${isAllowed()}`;
      tell(`{"type":"tools","id":${stringify(id)},${frame},"tools":[${all}]}`);
    };
    const worded = (error) => {
      try {
        return `${(typeof error === "object" && error?.stack) || error}`;
      } catch {
        return "An error that cannot be read.";
      }
    };
    const tellSettled = (id, status, value) => {
      const output = status === "Completed" ? `,"output":${value}` : "";
      const error = `,"errorText":"The tool failed.","exception":{"description":${stringify(worded(value))}}`;
      tell(`{"type":"toolResponded","id":${stringify(id)},"status":"${status}"${output}${status === "Error" ? error : ""}}`);
    };
    const running = { __proto__: null };
    const commands = {
      __proto__: null,
      list: ({ id }) => tellTools(id),
      watch: ({ id }) => {
        listen(changes, "toolchange", () => tellTools(id));
        tellTools(id);
      },
      invoke: ({ id, name, input }) => {
        const settled = (status, value) => {
          delete running[id];
          tellSettled(id, status, value);
        };
        running[id] = run(name, input, settled);
      },
      cancel: ({ id }) => running[id]?.(),
    };
    return (command) => commands[command.command]?.(command);
  };
})
