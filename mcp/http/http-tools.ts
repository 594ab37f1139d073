import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { HttpAnswer, HttpToolOptions, HttpTools, ToolCaller, ToolRequest } from "../../src/programs.ts";
import { noBatches, refusalOfBatch, takesBatches } from "../batches.ts";
import type { Deps } from "../deps.ts";
import { at, textAt } from "../json.ts";
import { keyedQueue } from "../keyed-queue.ts";
import { firstTimes } from "../once.ts";
import { createServer } from "../server.ts";
import { tools } from "../tool-list.ts";
import { urisIn } from "../topics.ts";
import { answerCall } from "./answer-call.ts";
import { depsOf } from "./caller-deps.ts";
import { bothForms, formsIn, inForm } from "./forms.ts";
import { listen } from "./listen.ts";
import { createOpenStreams } from "./open-streams.ts";
import { plainCallIn } from "./plain-call.ts";

/** The tools over Streamable HTTP, in both eras and without sessions: each request stands alone. */
export function createHttpTools(options: HttpToolOptions): HttpTools {
  const shared = { queue: keyedQueue(), isFirstOffer: firstTimes() };
  const streams = createOpenStreams();
  const serverFor = (deps: Deps, body: unknown): McpServerFactory => {
    const only = calledTool(body);
    // The older era announces on a stream that a session opens, and there are no sessions.
    return ({ era }) => createServer(options, deps, { announces: era === "modern", only });
  };
  const answerWithSdk = async (sent: ToolRequest, caller: ToolCaller, deps: Deps): Promise<HttpAnswer> => {
    const { body } = sent;
    const request = webRequest(sent);
    const uris = urisIn(body);
    const parts = { streams, createServer: serverFor(deps, body), onError: options.onError };
    if (uris) return { response: await listen({ request, body, uris, caller }, parts), comesInParts: true };
    const comesInParts = isWait(body);
    const responseMode = comesInParts ? "sse" : "auto";
    const { fetch } = createMcpHandler(parts.createServer, { onerror: options.onError, responseMode });
    return { response: await fetch(request, { parsedBody: body }), comesInParts };
  };
  return {
    async answer(given, caller) {
      const isBatch = Array.isArray(given.body);
      if (isBatch && !takesBatches(given.headers["mcp-protocol-version"] ?? revisionWithoutHeader))
        return { response: Response.json(refusalOfBatch(noBatches), { status: 400 }), comesInParts: false };
      const forms = formsIn(given.headers.accept);
      const isServed = forms.json || forms.events;
      const request = isServed ? { ...given, headers: { ...given.headers, accept: bothForms } } : given;
      const deps = depsOf(options, caller, shared);
      const call = plainCallIn(request);
      const { version } = options;
      const json = call && (await answerCall(call, { version, deps, gone: request.gone }));
      const answer = json === undefined ? await answerWithSdk(request, caller, deps) : { json };
      // A stream of changes has one form only.
      return urisIn(request.body) ? answer : inForm(answer, { ...forms, isBatch });
    },
  };
}

/** The header came with the revision after this one. */
const revisionWithoutHeader = "2025-03-26";

/** The address is not that of the request: nothing may depend on `Host`. */
const webRequest = ({ headers, gone }: ToolRequest): Request =>
  new Request("http://innkeep.invalid/mcp", { method: "POST", headers, signal: gone });

/** The tool that a message calls: nothing else of the server is needed to answer it. */
const calledTool = (message: unknown): string | undefined =>
  at(message, "method") === "tools/call" ? textAt(at(message, "params"), "name") : undefined;

/** The answer to a wait begins at once and has a comment every 15 seconds, because proxies cut what is silent. */
function isWait(message: unknown): boolean {
  if (Array.isArray(message)) return message.some(isWait);
  const params = at(message, "params");
  return (
    at(params, "name") === tools.getDecision.name && at(at(params, "arguments"), "wait_seconds") !== undefined
  );
}
