import { limits } from "../contract/limits.ts";
import type { Run } from "../contract/runs.ts";
import type { Client } from "./call.ts";
import type { Clock } from "./clock.ts";
import { pollUntil } from "./wait.ts";

export interface WaitOptions {
  /** How long to wait for a person; 0 asks once. */
  readonly seconds: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Waits until a person decides on a proposal, or the time is over. Gives the proposal as it is then. A server that is away
 * for a while only costs time; if it is still away at the end, its last failure is thrown.
 */
export async function waitForDecision(
  client: Pick<Client, "agent">,
  runId: string,
  { seconds, clock, signal }: WaitOptions,
): Promise<Run> {
  const end = clock.now().getTime() + seconds * 1_000;
  const leftMs = () => Math.max(0, end - clock.now().getTime());
  const result = await pollUntil(
    {
      ask: (wait) => readRun(client, { runId, wait, signal }),
      holdSeconds: (left) => Math.min(limits.waitSeconds, Math.floor(left / 1_000)),
      leftMs,
      pauses: { firstMs: 2_000, growth: 1.5, mostMs: 30_000 },
      clock,
      signal,
    },
    ({ status }) => status !== "awaiting_approval",
  );
  if ("failure" in result) throw result.failure;
  return result.value;
}

export interface RunQuestion {
  readonly runId: string;
  /** For how many seconds the server may hold its answer while nobody has decided. */
  readonly wait: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a proposal. Rejects as the client does. */
const readRun = (client: Pick<Client, "agent">, { runId, wait, signal }: RunQuestion): Promise<Run> =>
  client.agent.readRun({ params: { runId }, query: wait > 0 ? { wait: String(wait) } : {}, signal });
