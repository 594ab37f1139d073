import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { HttpToolOptions, HttpTools, ToolCaller } from "../../src/programs.ts";
import { at, textAt } from "../api/loose-json.ts";
import { keyedQueue } from "../keyed-queue.ts";
import { firstTimes } from "../once.ts";
import { createServer } from "../server.ts";
import { urisIn } from "../subscriptions/topics.ts";
import { tools } from "../tools/tool-list.ts";
import { depsOf } from "./caller-deps.ts";
import { listen } from "./listen.ts";
import { createOpenStreams } from "./open-streams.ts";

/** The tools over Streamable HTTP, in both eras and without sessions: each request stands alone. */
export function createHttpTools(options: HttpToolOptions): HttpTools {
  const shared = { queue: keyedQueue(), isFirstOffer: firstTimes() };
  const streams = createOpenStreams();
  const serverFor = (caller: ToolCaller, body: unknown): McpServerFactory => {
    const deps = depsOf(options, caller, shared);
    const only = calledTool(body);
    // The older era announces on a stream that a session opens, and there are no sessions.
    return ({ era }) => createServer(options, deps, { announces: era === "modern", only });
  };
  return {
    async answer(request, body, caller) {
      const uris = urisIn(body);
      const parts = { streams, createServer: serverFor(caller, body), onError: options.onError };
      if (uris) return { response: await listen({ request, body, uris, caller }, parts), comesInParts: true };
      const comesInParts = isWait(body);
      const responseMode = comesInParts ? "sse" : "auto";
      const { fetch } = createMcpHandler(parts.createServer, { onerror: options.onError, responseMode });
      return { response: await fetch(request, { parsedBody: body }), comesInParts };
    },
  };
}

/** The tool that a message calls: nothing else of the server is needed to answer it. */
const calledTool = (message: unknown): string | undefined =>
  at(message, "method") === "tools/call" ? textAt(at(message, "params"), "name") : undefined;

/** The answer to a wait begins at once and has a comment every 15 seconds, because proxies cut what is silent. */
function isWait(message: unknown): boolean {
  const params = at(message, "params");
  return (
    at(params, "name") === tools.getDecision.name && at(at(params, "arguments"), "wait_seconds") !== undefined
  );
}
