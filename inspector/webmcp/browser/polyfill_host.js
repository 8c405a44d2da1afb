// The host's side of polyfill.js. An expression: a function of the name of a binding (`Runtime.addBinding`), which it hides from the page.
// To send a command, run in an isolated world of the frame (see polyfill.js for CHANNEL):
//   document.dispatchEvent(new CustomEvent("CHANNEL", { detail: JSON.stringify(command) }))
//   list   { command: "list", id }                  answers { type: "tools", id, url, origin, allowed, tools: [Tool] }
//   watch  { command: "watch", id }                 the same, and again with that id after each change
//   invoke { command: "invoke", id, name, input }   answers { type: "toolResponded", id, status, output?, errorText?, exception? }
//   cancel { command: "cancel", id }                the invocation of that id answers with status "Canceled"; none where it has ended
//   arrive { command: "arrive", id }                in the document that a form's submission led to: answers as the invocation of that id, with
//                                                   what its scripts of type application/ld+json hold, once it was read to its end
// Where a form leaves the document, { type: "toolSubmitted", id } reports it, and the old document does not answer.
// Tool = { name, title, description, inputSchema?, annotations?, exposedTo, declarative? }, its annotations as the WebMCP domain has them:
// { readOnly, untrustedContent, consequential, debugging } of scripts, { autosubmit } of forms. input is JSON text; status is "Completed", "Canceled" or "Error"; output
// is any JSON; exception is { description }, with the stack. Answers come as `Runtime.bindingCalled`, whose context names the frame.
// Sends nothing without a command.
((bindingName) => {
  "use strict";
  const tell = globalThis[bindingName];
  delete globalThis[bindingName];
  const { parse, stringify } = JSON;

  return ({ tools, run, listen, changes, refresh, isAllowed }) => {
    // Reports are joined from texts: `stringify` of a string never calls a page's toJSON.
    const flags = ({ readOnlyHint, untrustedContentHint, consequentialHint, debugging }) =>
      `{"readOnly":${readOnlyHint},"untrustedContent":${untrustedContentHint},"consequential":${consequentialHint},"debugging":${debugging}}`;
    const reported = (tool) => {
      let exposed = "";
      for (let index = 0; index < tool.exposedTo.length; index++) exposed += (index ? "," : "") + stringify(tool.exposedTo[index]);
      const schema = tool.schema && `"inputSchema":${tool.schema},`;
      const kept = tool.isAutomatic ? '{"autosubmit":true}' : tool.annotations && flags(tool.annotations);
      const annotations = kept ? `"annotations":${kept},` : "";
      const made = tool.form ? ',"declarative":true' : "";
      const named = `"name":${stringify(tool.name)},"title":${stringify(tool.title)},"description":${stringify(tool.description)}`;
      return `{${named},${schema}${annotations}"exposedTo":[${exposed}]${made}}`;
    };
    const tellTools = (id) => {
      refresh();
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
      if (status === "Submitted") return tell(`{"type":"toolSubmitted","id":${stringify(id)}}`);
      if (status === "Refused") return tell(`{"type":"toolResponded","id":${stringify(id)},"status":"Error","errorText":${stringify(value)}}`);
      const output = status === "Completed" ? `,"output":${value}` : "";
      const reason = status === "Canceled" && value ? `,"errorText":${stringify(value)}` : "";
      const error = `,"errorText":"The tool failed.","exception":{"description":${stringify(worded(value))}}`;
      tell(`{"type":"toolResponded","id":${stringify(id)},"status":"${status}"${output}${reason}${status === "Error" ? error : ""}}`);
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
          if (status !== "Submitted") delete running[id];
          tellSettled(id, status, value);
        };
        running[id] = run(name, input, settled);
      },
      cancel: ({ id }) => running[id]?.(),
      arrive: ({ id }) => {
        const answer = () => {
          let found = "";
          for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
            try {
              found += (found && ",") + stringify(parse(script.textContent));
            } catch {}
          }
          tellSettled(id, "Completed", `[${found}]`);
        };
        if (document.readyState === "loading") listen(document, "DOMContentLoaded", answer);
        else answer();
      },
    };
    return (command) => commands[command.command]?.(command);
  };
})
