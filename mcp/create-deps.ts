import { lazy } from "../src/client/lazy.ts";
import { type Clock, systemClock } from "../src/client/waiting/clock.ts";
import { type Connection, createConnection } from "./api/connection.ts";
import type { Deps } from "./deps.ts";
import { longestWait, type McpOptions } from "./options.ts";
import type { Proposals } from "./proposals/proposals.ts";
import type { AwaitDecision } from "./tools/get-decision/decision-watch.ts";

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
  return createDecisionWatch({ connection, clock, random: Math.random });
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
