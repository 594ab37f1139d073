import { guarded, json, type Operations, refusal, withAppKey } from "./operation.ts";

/** Newest first. */
const releases = [
  {
    version: "2.4.0",
    title: "Faster search",
    bodyFormat: "items",
    items: [{ type: "added", text: "Search" }],
  },
  { version: "2.3.0", title: "Lists", bodyFormat: "markdown", body: "Lists are **sorted**." },
].map((entry, index) => ({
  id: `0198c1a3-5d88-7e65-8fc0-7b8c9daebf0${index}`,
  versions: [{ platform: "android", version: `24${index}` }],
  releaseType: "minor",
  body: "",
  items: [],
  publishedAt: `2026-11-2${1 - index}T09:30:00.000Z`,
  ...entry,
}));

export const changelogOperations: Operations = guarded(withAppKey, {
  "GET /api/v1/changelog/remote": ({ query }) => {
    const limit = Number(query.get("limit") ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 50) return refusal(400, "limit is 1 to 50.");
    const known = releases.findIndex(({ version }) => version === query.get("since"));
    return json(200, { entries: releases.slice(0, known < 0 ? limit : Math.min(limit, known)) });
  },
});
