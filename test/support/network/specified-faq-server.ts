import type { IncomingMessage, ServerResponse } from "node:http";
import { v7 } from "uuid";
import { listen } from "./recording-server.ts";

interface Entry {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly sortOrder: number;
}

/** A server with the FAQ of the specification and nothing else: no ETag, no change of the whole list. */
export async function startSpecifiedFaqServer() {
  const entries = new Map<string, Entry>();
  const requests: string[] = [];
  /** Ids that cannot be changed, to try failures. */
  const broken = new Set<string>();
  const baseUrl = await listen(async (request, response) => {
    requests.push(String(request.method));
    const [, id] = /^\/api\/v1\/faqs\/remote(?:\/([^/]+))?$/.exec(request.url ?? "") ?? ["", "unknown"];
    const body = await bodyOf(request);
    if (request.method === "GET" && id === undefined) return answer(response, 200, listOf(entries));
    if (request.method === "POST" && id === undefined) {
      const made = {
        id: v7(),
        question: body.question,
        answer: body.answer,
        sortOrder: body.sortOrder ?? entries.size + 1,
      };
      entries.set(made.id, made);
      return answer(response, 201, made);
    }
    const entry = id === undefined ? undefined : entries.get(id);
    if (!entry) return answer(response, 404, { error: "There is nothing here." });
    if (broken.has(entry.id)) return answer(response, 400, { error: "This entry is locked." });
    if (request.method === "PATCH") {
      const changed = { ...entry, ...body };
      entries.set(entry.id, changed);
      return answer(response, 200, changed);
    }
    if (request.method !== "DELETE") return answer(response, 405, { error: "No." });
    entries.delete(entry.id);
    return answer(response, 200, { success: true });
  });
  return { baseUrl, entries, requests, broken };
}

const at = "2026-11-21T09:30:00.000Z";

const listOf = (entries: ReadonlyMap<string, Entry>) =>
  [...entries.values()]
    .sort((one, other) => one.sortOrder - other.sortOrder)
    .map((entry) => ({ ...entry, createdAt: at, updatedAt: at }));

async function bodyOf(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
