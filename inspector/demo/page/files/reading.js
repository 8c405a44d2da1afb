// Read-only tools: every type of result, and one with content from strangers.

import { call, load, offer } from "./workspace.js";

const nothing = { type: "object", properties: {} };
const reading = { readOnlyHint: true };

await offer({
  name: "list_documents",
  title: "List documents",
  description: "List the paths of all documents.",
  inputSchema: nothing,
  outputSchema: { type: "array", items: { type: "string" } },
  annotations: reading,
  execute: async () => Object.keys((await load()).documents),
});

await offer({
  name: "search_documents",
  title: "Search documents",
  description: "Find documents that hold some words.",
  inputSchema: {
    type: "object",
    properties: { words: { type: "string", minLength: 1, description: "Words to look for" } },
    required: ["words"],
  },
  outputSchema: {
    type: "object",
    properties: { words: { type: "string" }, found: { type: "array", items: { type: "string" } } },
    required: ["found"],
  },
  annotations: reading,
  execute: async ({ words }) => {
    const documents = Object.entries((await load()).documents);
    const sought = String(words).toLowerCase();
    return { words, found: documents.filter(([, text]) => text.toLowerCase().includes(sought)).map(([path]) => path) };
  },
});

await offer({
  name: "count_documents",
  title: "Count documents",
  description: "Say how many documents there are, as a bare number.",
  inputSchema: nothing,
  annotations: reading,
  execute: async () => Object.keys((await load()).documents).length,
});

await offer({
  name: "team_motto",
  title: "Team motto",
  description: "Give the team's motto, as a bare string.",
  inputSchema: nothing,
  annotations: reading,
  execute: () => "We write things down, review in pairs and ship on Tuesdays.",
});

await offer({
  name: "latest_alert",
  title: "Latest alert",
  description: "Give the latest alert; null where there is none, as now.",
  inputSchema: nothing,
  annotations: reading,
  execute: () => null,
});

await offer({
  name: "list_inbox",
  title: "List inbox",
  description: "List mail that came in. Anybody can write to this address.",
  inputSchema: nothing,
  annotations: { readOnlyHint: true, untrustedContentHint: true },
  execute: () => call("list_inbox"),
});
