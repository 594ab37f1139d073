import { PassThrough, type Readable, Transform, type Writable } from "node:stream";
import { isJSONRPCRequest, type JSONRPCMessage, type McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Clock, lazy, systemClock } from "../src/client/wait.ts";
import { jsonIn, textAt, valueAt } from "../src/contract/json.ts";
import type { AwaitDecision } from "./decision-watch.ts";
import { type Deps, firstTimes, keyedQueue } from "./deps.ts";
import { isLikeResponse, isMessage, refusalOfBatch, refusalOfMessage } from "./messages.ts";
import { longestWait, type McpOptions, offersWork, type StdioOptions } from "./options.ts";
import type { Proposals } from "./proposal-files.ts";
import { type Connection, createConnection, newWorker } from "./refusals.ts";
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

/** Serves a connection. The SDK also reads `earlyInput.answered`, but its answers to that input are dropped. */
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
 * Creates the dependencies of the tools. Each module is loaded at its first use. `warn` sends nothing to the
 * client.
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
    explain: async (error) => (await import("./refusals.ts")).explain(error, options.baseUrl),
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

/** The revisions of the protocol in which clients may send several messages as one array. (JSON-RPC 2.0, batches) */
const revisionsWithBatches: ReadonlySet<unknown> = new Set(["2025-03-26", "2024-11-05", "2024-10-07"]);

/** Whether clients of this protocol revision may send arrays of messages. */
export const takesBatches = (revision: string | undefined): boolean => revisionsWithBatches.has(revision);

export const noBatches =
  "This revision of the protocol has no arrays of messages. Send one JSON-RPC message, as an object.";

/** The maximum number of messages in an array. The SDK has the same maximum over HTTP. */
const mostMessages = 100;

/**
 * Handles what the SDK does not answer over standard input: batches (arrays of messages) and values that are no message.
 */
export interface Batches {
  /**
   * Forwards lines. Splits an array into one line per message. Answers a faulty line or array with an error.
   */
  readonly lines: Transform;
  /**
   * Adds an answer to the batch that contains its request, and writes a complete batch. Returns false if no
   * batch contains the request.
   */
  collect(message: JSONRPCMessage): boolean;
}

interface Batch {
  /** The ids of the requests that have no answer yet. */
  readonly open: Set<unknown>;
  readonly answers: object[];
}

export function createBatches(write: (answer: object) => void): Batches {
  let waiting: Batch[] = [];
  /** The protocol revision in the answer to `initialize`. */
  let revision: string | undefined;

  const endIfComplete = (batch: Batch): void => {
    if (batch.open.size > 0) return;
    waiting = waiting.filter((each) => each !== batch);
    if (batch.answers.length > 0) write(batch.answers);
  };
  /** If the message cancels a request of a batch, the batch no longer waits for the answer to that request. */
  const cancel = (message: unknown): void => {
    if (valueAt(message, "method") !== "notifications/cancelled") return;
    const id = valueAt(message, "params", "requestId");
    const batch = waiting.find(({ open }) => open.delete(id));
    if (batch) endIfComplete(batch);
  };
  const begin = (messages: readonly unknown[]): void => {
    const requests = messages.filter(isJSONRPCRequest);
    const batch: Batch = {
      open: new Set(requests.map(({ id }) => id)),
      answers: messages.filter(isToRefuse).map(refusalOfMessage),
    };
    waiting.push(batch);
    endIfComplete(batch);
  };
  const pass = (line: Buffer): (Buffer | string)[] => {
    const value = jsonIn(line.toString("utf8"));
    // `value` is undefined only for a blank line. All other lines are JSON here. (rule L16)
    if (value === undefined) return [line];
    if (!Array.isArray(value)) {
      if (isMessage(value)) {
        cancel(value);
        return [line];
      }
      if (!isLikeResponse(value)) write(refusalOfMessage(value));
      return [];
    }
    const fault = faultOf(value, revision);
    if (fault) {
      write(refusalOfBatch(fault));
      return [];
    }
    begin(value);
    value.forEach(cancel);
    return value.filter(isMessage).map((each) => `${JSON.stringify(each)}\n`);
  };

  return {
    lines: byLine(pass),
    collect(message) {
      if ("method" in message) return false;
      if ("result" in message) revision = textAt(message.result, "protocolVersion") || revision;
      const batch = waiting.find(({ open }) => open.delete(message.id));
      if (!batch) return false;
      batch.answers.push(message);
      endIfComplete(batch);
      return true;
    },
  };
}

/** Replaces each line with the lines that `replaced` returns for it. */
function byLine(replaced: (line: Buffer) => readonly (Buffer | string)[]): Transform {
  let pieces: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        pieces.push(chunk.subarray(from, end + 1));
        for (const line of replaced(Buffer.concat(pieces))) this.push(line);
        pieces = [];
        from = end + 1;
      }
      if (from < chunk.length) pieces.push(chunk.subarray(from));
      done();
    },
  });
}

function faultOf(messages: readonly unknown[], revision: string | undefined): string | undefined {
  if (!takesBatches(revision)) return noBatches;
  if (messages.length === 0) return "The array has no messages.";
  if (messages.length > mostMessages) return `The array has more than ${mostMessages} messages. Send fewer.`;
  const isFirst = messages.some((message) => valueAt(message, "method") === "initialize");
  return isFirst ? "Send `initialize` by itself, not in an array." : undefined;
}

/**
 * Whether the answer to a value is an error. A response gets no answer, so that programs do not answer each
 * other forever.
 */
const isToRefuse = (value: unknown): boolean => !isMessage(value) && !isLikeResponse(value);
