// The workspace on the page, and the two ways in which tools access it.

const context = document.modelContext ?? navigator.modelContext;

export const call = async (name, args = {}) => {
  const answer = await fetch("/api/call", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name, arguments: args }),
    credentials: "same-origin",
  });
  const result = await answer.json();
  if (!answer.ok) throw new Error(`${name}: ${result.error}`);
  return result;
};

// Lists the browser's refusals under the tools.
export const offer = async (tool, options) => {
  try {
    await context?.registerTool(tool, options);
  } catch (error) {
    row("refused", tool.name || "(no name)", `${error.name}: ${error.message}`);
  }
};

export const row = (list, left, right) => {
  const item = document.createElement("li");
  const small = document.createElement("small");
  small.textContent = right;
  item.append(left, small);
  document.getElementById(list).querySelector(".empty")?.remove();
  document.getElementById(list).append(item);
};

export const load = async () => {
  const shown = await (await fetch("/api/workspace", { cache: "no-store" })).json();
  for (const list of ["documents", "people", "projects"]) document.getElementById(list).replaceChildren();
  for (const [path, text] of Object.entries(shown.documents)) row("documents", path, `${text.length} characters`);
  for (const { name, role, email } of shown.people) row("people", name, `${role}, ${email}`);
  for (const { id, name, open_tasks } of shown.projects) row("projects", name, `${id}, ${open_tasks} open tasks`);
  return shown;
};

const showTools = async () => {
  document.getElementById("tools").replaceChildren();
  if (!context?.getTools) return;
  for (const { name, title } of await context.getTools()) row("tools", name, title);
};

document.getElementById("api").textContent = context
  ? "This browser has WebMCP."
  : "This browser has no WebMCP, so the page offers no tools.";
context?.addEventListener?.("toolchange", showTools);
document.getElementById("invite").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = Object.fromEntries(new FormData(event.target));
  document.getElementById("invited").textContent = `${given.name} is invited as ${given.role}.`;
  if (event.agentInvoked) event.respondWith(Promise.resolve({ invited: given.name, role: given.role }));
});
await load();
await showTools();
