// Tools that test their host: one asks the user, one never ends, one adds and removes another, two are refused.

import { offer } from "./workspace.js";

const nothing = { type: "object", properties: {} };
const dialog = document.getElementById("approval");

const asked = (question, signal) =>
  new Promise((resolve, reject) => {
    const give = () => {
      dialog.removeEventListener("close", done);
      dialog.close();
      reject(signal.reason);
    };
    const done = () => {
      signal?.removeEventListener("abort", give);
      resolve(dialog.returnValue === "approved");
    };
    dialog.returnValue = "";
    document.getElementById("question").textContent = question;
    dialog.addEventListener("close", done, { once: true });
    signal?.addEventListener("abort", give, { once: true });
    dialog.showModal();
  });

await offer({
  name: "publish_roadmap",
  title: "Publish roadmap",
  description: "Publish the roadmap for everybody. The user is asked first, on the page.",
  inputSchema: nothing,
  annotations: { consequentialHint: true },
  execute: async (_input, client) => {
    const ask = () => asked("Publish the roadmap for everybody?", client?.signal);
    const isApproved = await (client?.requestUserInteraction ? client.requestUserInteraction(ask) : ask());
    return { published: isApproved };
  },
});

await offer({
  name: "wait_for_review",
  title: "Wait for review",
  description: "Wait until somebody has reviewed the roadmap. Nobody ever does: cancel it.",
  inputSchema: nothing,
  annotations: { readOnlyHint: true },
  execute: (_input, client) =>
    new Promise((_resolve, reject) => {
      client?.signal?.addEventListener("abort", () => reject(client.signal.reason), { once: true });
    }),
});

let beta = null;
await offer({
  name: "toggle_beta",
  title: "Toggle beta tools",
  description: "Register the tool beta_report, or take it away again.",
  inputSchema: nothing,
  execute: async () => {
    if (beta) {
      beta.abort();
      beta = null;
      return { registered: false };
    }
    beta = new AbortController();
    const report = {
      name: "beta_report",
      title: "Beta report",
      description: "A tool that comes and goes while the page stays.",
      inputSchema: nothing,
      execute: () => ({ version: "0.9-beta" }),
    };
    await offer(report, { signal: beta.signal });
    return { registered: true };
  },
});

await offer({ name: "not a name!", description: "Its name breaks the rules.", execute: () => null });
await offer({ name: "no_description", description: "", execute: () => null });
