// Tools that change something, with their authors' declarations: secrets, references, deletion.

import { call, load, offer, row } from "./workspace.js";

await offer({
  name: "generate_api_key",
  title: "Generate API key",
  description: "Create an API key for the current user.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", minLength: 1, maxLength: 64, description: "What the key is for" } },
    required: ["name"],
  },
  outputSchema: {
    type: "object",
    properties: {
      id: { type: "string", "x-sensitive": false },
      name: { type: "string", "x-sensitive": false },
      created: { type: "string", "x-sensitive": false },
      secret: { type: "string", "x-sensitive": true },
    },
    required: ["id", "name", "secret"],
  },
  annotations: { readOnlyHint: false, sensitiveHint: true },
  execute: async ({ name }) => {
    const { structuredContent: key, content } = await call("generate_api_key", { name });
    if (!key) return { content, isError: true };
    row("keys", key.name, key.id);
    return key;
  },
});

await offer({
  name: "create_share_link",
  title: "Create share link",
  description: "Create a link that opens a document once. The link goes to the user, not into the chat.",
  inputSchema: {
    type: "object",
    properties: {
      document: { type: "string", default: "/handbook.md", description: "Path of the document" },
      ttl: { type: "integer", minimum: 1, maximum: 3600, default: 300 },
    },
    required: ["document"],
  },
  outputSchema: {
    type: "object",
    properties: { document: { type: "string", "x-sensitive": false }, opens: { type: "integer" } },
  },
  annotations: { readOnlyHint: false, sensitiveHint: true },
  execute: (input) => call("create_share_link", input),
});

await offer({
  name: "delete_project",
  title: "Delete project",
  description: "Delete a project with all its tasks, for good. Projects: lighthouse, tidepool, old-website.",
  inputSchema: {
    type: "object",
    properties: { project: { type: "string", description: "The project's id" } },
    required: ["project"],
  },
  outputSchema: {
    type: "object",
    properties: { deleted: { type: "string" }, name: { type: "string" }, tasksLost: { type: "integer" } },
  },
  annotations: { destructiveHint: true, consequentialHint: true },
  execute: async (input) => {
    const result = await call("delete_project", input);
    await load();
    return result.structuredContent ?? result;
  },
});

await offer({
  name: "sync_calendar",
  title: "Sync calendar",
  description: "Copy the team calendar to the calendar service.",
  inputSchema: { type: "object", properties: { calendar: { type: "string", enum: ["team", "releases"], default: "team" } } },
  annotations: { readOnlyHint: false },
  execute: async (input) => {
    const result = await call("sync_calendar", input);
    throw new Error(result.content[0].text);
  },
});
