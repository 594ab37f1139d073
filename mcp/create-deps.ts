import { type Clock, systemClock } from "../src/client/clock.ts";
import { lazy } from "../src/client/lazy.ts";
import { newWorker } from "./claims.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { AwaitDecision } from "./decision-watch.ts";
import type { Deps } from "./deps.ts";
import { keyedQueue } from "./keyed-queue.ts";
import { firstTimes } from "./once.ts";
import { longestWait, type McpOptions, offersWork } from "./options.ts";
import type { Proposals } from "./proposals.ts";

/**
 * Makes the dependencies of the tools. Modules that are not needed to list tools are loaded at their first use.
 * `warn` writes to the person who runs the server, never to the client.
 */
export function createDeps(
  options: McpOptions,
  warn: (message: string) => void,
  clock: Clock = systemClock,
): Deps {
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
    download: async (...asked) => (await import("./download.ts")).download(...asked),
    explain: async (error) => (await import("./failures.ts")).explain(error, options.baseUrl),
  };
}

function proposalsOf(
  { baseUrl, stateDirectory }: McpOptions,
  connection: Connection,
  onFailure: (message: string) => void,
): Proposals {
  const made = lazy(async () => {
    const { createProposals } = await import("./proposals.ts");
    const { proposalFiles } = await import("./proposal-files.ts");
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
