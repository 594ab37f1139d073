import { PassThrough, type Readable, type Writable } from "node:stream";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Clock, systemClock } from "../src/client/clock.ts";
import { lazy } from "../src/client/lazy.ts";
import { createBatches } from "./batches.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { AwaitDecision } from "./decision-watch.ts";
import { type Deps, firstTimes, keyedQueue } from "./deps.ts";
import { longestWait, type McpOptions, offersWork, type StdioOptions } from "./options.ts";
import type { Proposals } from "./proposal-files.ts";
import { newWorker } from "./refusals.ts";
import { createServer } from "./server.ts";
import { createSubscriptions } from "./subscriptions.ts";

export interface Session {
  close(): Promise<void>;
}

/** The input of a connection that was read before the SDK was loaded. */
export interface EarlyInput {
  /** The messages that were answered without the SDK, unchanged. */
  readonly answered: Buffer;
  /** The number of answers to the messages in `answered`. */
  readonly answers: number;
  /** The input that was read but not answered: the first message that needs the SDK, and all later messages. */
  readonly rest: Buffer;
}

/** The start of an MCP session. */
export interface SessionStart {
  readonly earlyInput: EarlyInput;
  /** The lines after the early input. */
  readonly lines: Readable;
  readonly out: Writable;
  readonly warn: (message: string) => void;
}

/**
 * Serves a connection after the early input. First, the SDK reads the messages that were answered without it. So the
 * SDK has the same state as if it had answered them. Its answers to these messages are not sent, because the client has
 * already received the answers.
 */
export function serveSession(
  options: McpOptions & Pick<StdioOptions, "clock">,
  { earlyInput, lines, out, warn }: SessionStart,
): Session {
  const inbound = new PassThrough();
  const transport = new StdioServerTransport(inbound, out);
  const send = transport.send.bind(transport);
  const batches = createBatches((answer) => out.write(`${JSON.stringify(answer)}\n`));
  let toDrop = earlyInput.answers;
  const passFurtherLines = (): void => {
    batches.lines.write(earlyInput.rest);
    lines.pipe(batches.lines).pipe(inbound);
  };
  transport.send = async (message) => {
    if (batches.collect(message)) return;
    if (toDrop === 0) return send(message);
    toDrop -= 1;
    if (toDrop === 0) passFurtherLines();
  };
  const deps = createDeps(options, warn, options.clock);
  const subscriptions = createSubscriptions(deps);
  const serverFor: McpServerFactory = ({ era }) => {
    const server = createServer(options, deps, { announces: true });
    subscriptions.serve(server, era);
    return server;
  };
  const session = serveStdio(serverFor, {
    transport,
    onerror: () => warn("A message of the client could not be handled."),
  });
  subscriptions.watchRequests(transport);
  inbound.write(earlyInput.answered);
  if (toDrop === 0) passFurtherLines();
  return {
    close() {
      subscriptions.close();
      return session.close();
    },
  };
}

/**
 * Creates the dependencies of the tools. Modules that are not needed to list the tools are loaded at their first use.
 * `warn` shows a message only to the person who runs the server.
 */
function createDeps(options: McpOptions, warn: (message: string) => void, clock: Clock = systemClock): Deps {
  const connection = createConnection(options);
  return {
    baseUrl: options.baseUrl,
    consoleUrl: options.consoleUrl,
    maxWaitSeconds: longestWait(options),
    readOnly: options.readOnly ?? false,
    work: offersWork(options),
    worker: newWorker(),
    connection,
    keepsRecord: true,
    proposals: proposalsOf(options, connection, warn),
    threadOfRun: new Map(),
    timesPending: new Map(),
    isFirstOffer: firstTimes(),
    awaitDecision: lazy(() => decisionWatch(connection, clock)),
    oneAtATime: keyedQueue(),
    clock,
    download,
    explain: async (error) => (await import("./failures.ts")).explain(error, options.baseUrl),
  };
}

function proposalsOf(
  { baseUrl, stateDirectory }: McpOptions,
  connection: Connection,
  onFailure: (message: string) => void,
): Proposals {
  const made = lazy(async () => {
    const { createProposals, proposalFiles } = await import("./proposal-files.ts");
    const store = stateDirectory ? proposalFiles(stateDirectory) : undefined;
    const key = async () => (await connection.secrets().catch(() => [])).at(0);
    return createProposals({ baseUrl, store, key, onFailure });
  });
  return {
    all: async () => (await made()).all(),
    ofThread: async (feedbackId) => (await made()).ofThread(feedbackId),
    find: async (runId) => (await made()).find(runId),
    add: async (record) => (await made()).add(record),
    update: async (record) => (await made()).update(record),
  };
}

async function decisionWatch(connection: Connection, clock: Clock): Promise<AwaitDecision> {
  const { createDecisionWatch } = await import("./decision-watch.ts");
  return createDecisionWatch({ connection, clock, random: Math.random });
}

/** Returns the bytes at an address; undefined if they cannot be read. */
async function download(
  url: URL,
  most: number,
  signal: AbortSignal,
): Promise<Buffer | "too large" | undefined> {
  try {
    const response = await fetch(url, { signal, redirect: "error" });
    if (!response.ok || !response.body) return undefined;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > most) return "too large";
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
