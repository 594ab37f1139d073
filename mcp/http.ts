import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { HttpAnswer, HttpToolOptions, HttpTools, ToolCaller, ToolRequest } from "../src/programs.ts";
import { noBatches, refusalOfBatch, takesBatches } from "./batches.ts";
import { type Deps, firstTimes, keyedQueue } from "./deps.ts";
import { at, textAt } from "./json.ts";
import { createServer } from "./server.ts";
import { urisIn } from "./subscriptions.ts";
import { tools } from "./tool-list.ts";
import { depsOf } from "./caller-deps.ts";
import { createOpenStreams, listen } from "./listen.ts";
import { answerCall, plainCallIn } from "./plain-call.ts";

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

/** The forms of an answer that a client takes: one piece of JSON, or a stream of events. */
interface Forms {
  readonly json: boolean;
  readonly events: boolean;
}

const json = "application/json";

const events = "text/event-stream";

/** What the library of the protocol must read, to serve a client that takes one of the forms. */
export const bothForms = `${json}, ${events}`;

/** The forms that an `Accept` allows. Without one, every form is welcome. (rule A62) */
export function formsIn(accept: string | undefined): Forms {
  const ranges = new Map((accept ?? "").split(",").map(rangeOf));
  ranges.delete("");
  if (ranges.size === 0) return { json: true, events: true };
  const takes = (type: string) =>
    ranges.get(type) ?? ranges.get(type.replace(/\/.*/, "/*")) ?? ranges.get("*/*") ?? false;
  return { json: takes(json), events: takes(events) };
}

/** A range of media types, and whether it is wanted. */
function rangeOf(part: string): [string, boolean] {
  const [type = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
  return [type, !parameters.some((each) => /^q\s*=\s*0(\.0*)?$/.test(each))];
}

/** The same answer in a form that the client takes. */
async function inForm(
  answer: HttpAnswer,
  { json: takesJson, events: takesEvents, isBatch }: Forms & { readonly isBatch: boolean },
): Promise<HttpAnswer> {
  if (takesJson === takesEvents) return answer;
  if ("json" in answer) return takesJson || answer.json === "" ? answer : eventOf(answer.json);
  const { response } = answer;
  const type = response.headers.get("content-type") ?? "";
  if (takesEvents)
    return response.status === 200 && type.startsWith(json) ? eventOf(await response.text()) : answer;
  if (!type.startsWith(events)) return answer;
  const answers = answersIn(await response.text());
  return { json: isBatch ? `[${answers.join(",")}]` : (answers.at(-1) ?? "") };
}

const eventOf = (message: string): HttpAnswer => ({
  response: new Response(`event: message\ndata: ${message}\n\n`, { headers: { "content-type": events } }),
  comesInParts: false,
});

/** The answers in a stream, each at the end of its reports of progress. */
const answersIn = (stream: string): string[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => line.slice("data: ".length))
    .filter((message) => isAnswer(JSON.parse(message)));

const isAnswer = (message: unknown): boolean =>
  at(message, "id") !== undefined && at(message, "method") === undefined;
