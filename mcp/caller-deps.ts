import { successIn } from "../src/client/answer.ts";
import { systemClock } from "../src/client/clock.ts";
import { ServerError } from "../src/client/errors.ts";
import { groupOf } from "../src/client/send.ts";
import type { HttpToolOptions, ToolCaller } from "../src/programs.ts";
import { type Connection, readRun } from "./connection.ts";
import type { AwaitDecision } from "./decision-watch.ts";
import type { Deps, keyedQueue } from "./deps.ts";
import { explain } from "./failures.ts";
import { newWorker } from "./ids.ts";
import type { Proposals } from "./proposals.ts";

/** Proxies and clients cut requests that take a minute. */
const longestWaitSeconds = 50;

/** What the requests of all callers share. */
interface SharedDeps {
  readonly queue: ReturnType<typeof keyedQueue>;
  readonly isFirstOffer: (key: string) => boolean;
}

/** The dependencies of the tools for one request over HTTP. Nothing is kept from one request to the next. */
export function depsOf(
  { baseUrl, consoleUrl }: HttpToolOptions,
  caller: ToolCaller,
  { queue, isFirstOffer }: SharedDeps,
): Deps {
  const connection = directConnection(caller, baseUrl);
  return {
    baseUrl,
    consoleUrl,
    maxWaitSeconds: longestWaitSeconds,
    readOnly: caller.readOnly,
    work: caller.mayWork,
    worker: newWorker(),
    connection,
    proposals: noRecord,
    keepsRecord: false,
    threadOfRun: new Map(),
    timesPending: new Map(),
    isFirstOffer: (runId) => isFirstOffer(`${caller.id} ${runId}`),
    awaitDecision: async () => awaitOnce(connection),
    oneAtATime: (feedbackId, act) => queue(`${caller.id} ${feedbackId}`, act),
    clock: systemClock,
    download: (url, most) => caller.readUpload(url.pathname.split("/").at(-1) ?? "", most),
    explain: async (error) => explainHere(error, baseUrl, caller),
  };
}

/** The server itself knows what was proposed. */
const noRecord: Proposals = {
  all: async () => [],
  ofThread: async () => [],
  find: async () => undefined,
  add: async () => undefined,
  update: async () => undefined,
};

/** One read that is held until the decision. Inside the server no connection can break. */
const awaitOnce =
  (connection: Connection): AwaitDecision =>
  async (runId, milliseconds, signal) => {
    const run = await readRun(connection, runId, { holdSeconds: Math.ceil(milliseconds / 1_000), signal });
    return { run, lastErrorAt: null };
  };

function explainHere(error: unknown, baseUrl: string, { secret }: Pick<ToolCaller, "secret">): string {
  if (!(error instanceof ServerError)) return explain(error, baseUrl);
  const { revoked, notGranted } = secret.startsWith("sdo_") ? ofConnection : ofHeader;
  if (error.status === 401) return revoked;
  return error.code === "insufficient_scope" ? notGranted : explain(error, baseUrl);
}

const ofConnection = {
  revoked:
    "The access of this connection was revoked or has expired. Ask the user to connect this MCP server again.",
  notGranted:
    "The person who connected this MCP server did not allow this. Ask the user to connect again and to allow it.",
};

/** A client that sends an agent token has no way to connect again. */
const ofHeader = {
  revoked:
    "The agent token was revoked or has expired. Ask the user to create a new one in the console settings and to put it into the configuration of this MCP server.",
  notGranted:
    "This agent token does not allow this. Ask the user for one with the scope for it, made in the console settings.",
};

/** Calls the API inside the server. Answers and errors are those of a client over HTTP. */
function directConnection({ call, secret }: ToolCaller, baseUrl: string): Connection {
  const client = groupOf(
    "agent",
    async ({ method, path }, { params, query, body, idempotencyKey, signal } = {}) => {
      signal?.throwIfAborted();
      const request = { method, path, params: textsOf(params), query: textsOf(query) };
      const answer = await call({ ...request, body, idempotencyKey, signal });
      signal?.throwIfAborted();
      return successIn(answer, { method, url: new URL(baseUrl + path) }, new Date());
    },
  );
  return { call: (use) => use(client), secrets: async () => [secret] };
}

const textsOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  );
