import { StreamableHTTPClientTransport as NewerHttp } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as OlderHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";
import { createHttpTools } from "../../../mcp/http.ts";
import type { DirectAnswer, DirectRequest, ToolCaller } from "../../../src/programs.ts";
import { connectNewer, connectOlder, type Era, type TestClient } from "./clients.ts";
import { agentToken, type FakeApi } from "./fake-api.ts";

/** A real client of the tools over HTTP, whose API requests go to a fake server with any answers. */
export async function openFakeHttpSession(
  era: Era,
  { baseUrl, uploads }: Pick<FakeApi, "baseUrl" | "uploads">,
): Promise<TestClient> {
  const onError = () => undefined;
  const tools = createHttpTools({ version: "1.2.3", baseUrl, consoleUrl: baseUrl, onError });
  const caller: ToolCaller = {
    id: "token",
    secret: agentToken,
    readOnly: false,
    mayWork: true,
    call: (request) => callOver(baseUrl, request),
    readUpload: async (name, most) => {
      const file = uploads.get(`/uploads/${name}`);
      return file && file.length > most ? "too large" : file;
    },
    follow: async () => ({ topics: { runIds: [], queue: false }, follow: async () => undefined }),
    stopping: new AbortController().signal,
  };
  const answer = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    if (init?.method !== "POST") return new Response(null, { status: 405 });
    const { headers } = new Request(url, init);
    const gone = init.signal ?? new AbortController().signal;
    const body: unknown = JSON.parse(String(init.body));
    const answered = await tools.answer({ headers: Object.fromEntries(headers), body, gone }, caller);
    if ("response" in answered) return answered.response;
    return new Response(answered.json, { headers: { "content-type": "application/json" } });
  };
  const url = new URL("http://innkeep.invalid/mcp");
  const client =
    era === "2025-11-25"
      ? await connectOlder(new OlderHttp(url, { fetch: answer }))
      : await connectNewer(new NewerHttp(url, { fetch: answer }));
  await client.listTools();
  onTestFinished(() => client.close());
  return client;
}

async function callOver(
  baseUrl: string,
  { method, path, params, query, body, idempotencyKey }: DirectRequest,
): Promise<DirectAnswer> {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
  const response = await fetch(`${baseUrl}${filled}?${new URLSearchParams(query)}`, {
    method,
    headers: {
      authorization: `Bearer ${agentToken}`,
      ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: {}, text: await response.text() };
}
