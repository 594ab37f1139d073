import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "./clock.ts";
import { createConnection } from "./connection.ts";
import type { AwaitDecision } from "./decision-watch.ts";
import type { Deps } from "./deps.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import type { McpOptions } from "./options.ts";
import { createProposals, type ProposalStore } from "./proposals.ts";

const waitSeconds = { default: 50, most: 240 } as const;

/** Makes all that the tools touch. `warn` tells the person who runs the server, never the client. */
export function assemble(
  options: McpOptions,
  warn: (message: string) => void,
  clock: Clock = systemClock,
): Deps {
  const connection = createConnection(options);
  return {
    baseUrl: options.baseUrl,
    consoleUrl: options.consoleUrl,
    maxWaitSeconds: Math.min(Math.max(1, options.maxWaitSeconds ?? waitSeconds.default), waitSeconds.most),
    readOnly: options.readOnly ?? false,
    connection,
    proposals: createProposals(options.baseUrl, storeOf(options.stateDirectory), warn),
    threadOfRun: new Map(),
    timesPending: new Map(),
    awaitDecision: decisionWatch(connection, clock),
    oneAtATime: oneAtATime(),
    clock,
    nonce: () => randomBytes(6).toString("hex"),
    explain: async (error) => (await import("./failure.ts")).explain(error, options.baseUrl),
  };
}

function storeOf(stateDirectory: string | undefined): ProposalStore | undefined {
  if (!stateDirectory) return undefined;
  const files = import("./proposal-files.ts").then(({ proposalFiles }) => proposalFiles(stateDirectory));
  return {
    load: async () => (await files).load(),
    save: async (record) => (await files).save(record),
  };
}

/** One for all calls, made when the first one waits. */
function decisionWatch(connection: Deps["connection"], clock: Clock): Deps["awaitDecision"] {
  const make = async (): Promise<AwaitDecision> => {
    const { createDecisionWatch } = await import("./decision-watch.ts");
    return createDecisionWatch({
      clock,
      random: Math.random,
      read: (runId, hold, signal) =>
        connection.call((agent) =>
          agent.readRun({ params: { runId }, query: hold > 0 ? { wait: String(hold) } : {}, signal }),
        ),
    });
  };
  let made: Promise<AwaitDecision> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
