import { PassThrough, type Readable, type Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { lazy } from "../src/client/lazy.ts";
import { type Clock, systemClock } from "../src/client/waiting/clock.ts";
import { type Connection, createConnection } from "./api/connection.ts";
import type { Deps } from "./deps.ts";
import { longestWait, type McpOptions, type StdioOptions } from "./options.ts";
import type { Proposals } from "./proposals/proposals.ts";
import { createServer } from "./server.ts";
import type { AwaitDecision } from "./tools/get-decision/decision-watch.ts";

export interface Session {
  close(): Promise<void>;
}

/** The part of a connection that was read before the SDK takes over. */
export interface EarlyInput {
  /** The messages that were answered without the SDK, unchanged. */
  readonly answered: Buffer;
  /** The number of answers to them. */
  readonly answers: number;
  /** The rest of what was read: the first message that needs the SDK, and perhaps more. */
  readonly rest: Buffer;
}

/** The start of an MCP session. */
export interface SessionStart {
  readonly earlyInput: EarlyInput;
  /** The lines that follow. */
  readonly lines: Readable;
  readonly out: Writable;
  readonly warn: (message: string) => void;
}

/**
 * Serves the rest of a connection. The SDK first reads the messages that were answered before it was loaded, so
 * that it has their state. Its answers to them are dropped, because the client has them.
 */
export function serveSession(
  options: McpOptions & Pick<StdioOptions, "clock">,
  { earlyInput, lines, out, warn }: SessionStart,
): Session {
  const inbound = new PassThrough();
  const transport = new StdioServerTransport(inbound, out);
  const send = transport.send.bind(transport);
  let toDrop = earlyInput.answers;
  const passFurtherLines = (): void => {
    inbound.write(earlyInput.rest);
    lines.pipe(inbound);
  };
  transport.send = async (message) => {
    if (toDrop === 0) return send(message);
    toDrop -= 1;
    if (toDrop === 0) passFurtherLines();
  };
  const deps = assemble(options, warn, options.clock);
  const session = serveStdio(() => createServer(options, deps), {
    transport,
    onerror: () => warn("A message of the client could not be handled."),
  });
  inbound.write(earlyInput.answered);
  if (toDrop === 0) passFurtherLines();
  return session;
}

/**
 * Makes the dependencies of the tools. Modules that are not needed to list tools are loaded at their first use.
 * `warn` writes to the person who runs the server, never to the client.
 */
function assemble(options: McpOptions, warn: (message: string) => void, clock: Clock = systemClock): Deps {
  const connection = createConnection(options);
  return {
    baseUrl: options.baseUrl,
    consoleUrl: options.consoleUrl,
    maxWaitSeconds: longestWait(options),
    readOnly: options.readOnly ?? false,
    connection,
    proposals: proposalsOf(options, connection, warn),
    threadOfRun: new Map(),
    timesPending: new Map(),
    awaitDecision: lazy(() => decisionWatch(connection, clock)),
    oneAtATime: keyedQueue(),
    clock,
    explain: async (error) => (await import("./text/failure.ts")).explain(error, options.baseUrl),
  };
}

function proposalsOf(
  { baseUrl, stateDirectory }: McpOptions,
  connection: Connection,
  onFailure: (message: string) => void,
): Proposals {
  const made = lazy(async () => {
    const { createProposals } = await import("./proposals/proposals.ts");
    const { proposalFiles } = await import("./proposals/proposal-files.ts");
    const store = stateDirectory ? proposalFiles(stateDirectory) : undefined;
    const key = async () => (await connection.secrets().catch(() => [])).at(0);
    return createProposals({ baseUrl, store, key, onFailure });
  });
  return {
    all: async () => (await made()).all(),
    find: async (runId) => (await made()).find(runId),
    add: async (record) => (await made()).add(record),
    update: async (record) => (await made()).update(record),
  };
}

async function decisionWatch(connection: Connection, clock: Clock): Promise<AwaitDecision> {
  const { createDecisionWatch } = await import("./tools/get-decision/decision-watch.ts");
  return createDecisionWatch({
    clock,
    random: Math.random,
    read: (runId, hold, signal) =>
      connection.call((client) =>
        client.agent.readRun({ params: { runId }, query: hold > 0 ? { wait: String(hold) } : {}, signal }),
      ),
  });
}

/** Runs actions with the same key one after another, in the order of the calls. */
function keyedQueue(): <T>(key: string, act: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();

  return async (key, act) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(act, act);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
