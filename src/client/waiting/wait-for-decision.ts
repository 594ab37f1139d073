import type { Run } from "../../contract/agent.ts";
import { limits } from "../../contract/limits.ts";
import type { Client } from "../calls/call.ts";
import { isTemporary } from "./retry.ts";
import { sleep } from "./sleep.ts";

export interface WaitOptions {
  /** How long to wait for a person; 0 asks once. */
  readonly seconds: number;
  readonly signal?: AbortSignal;
  /** Hears, after every look at the run, how many seconds are left. */
  readonly onTick?: (secondsLeft: number) => void;
  readonly now?: () => Date;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const pauses = { firstMs: 2_000, growth: 1.5, mostMs: 30_000 };

/**
 * Waits until a person decides on a run, or the time is over; gives the run as it is then. Lets the server hold the
 * answer, and asks again and again, ever more slowly, where a server does not. A server that is away for a while only
 * costs time; what stays wrong is thrown.
 */
export async function waitForDecision(
  client: Pick<Client, "agent">,
  runId: string,
  { seconds, signal, onTick, now = () => new Date(), sleep: pause = sleep }: WaitOptions,
): Promise<Run> {
  const end = now().getTime() + seconds * 1_000;
  const left = () => Math.max(0, end - now().getTime());
  let pauseMs = 0;

  for (;;) {
    const asked = now().getTime();
    const wait = Math.min(limits.waitSeconds, Math.floor(left() / 1_000));
    const look = await lookAt(client, runId, wait, signal, left() > 0);
    if (look?.status !== undefined && look.status !== "awaiting_approval") return look;
    if (look && left() === 0) return look;
    onTick?.(Math.ceil(left() / 1_000));
    const held = look !== undefined && wait > 0 && now().getTime() - asked >= wait * 500;
    pauseMs = held ? 0 : Math.min(pauses.mostMs, pauseMs * pauses.growth || pauses.firstMs);
    if (pauseMs > 0) await pause(Math.min(pauseMs, left()), signal);
  }
}

/** The run; undefined where the server is away for a while and there is time left to come back. */
async function lookAt(
  client: Pick<Client, "agent">,
  runId: string,
  wait: number,
  signal: AbortSignal | undefined,
  mayFail: boolean,
): Promise<Run | undefined> {
  try {
    return await client.agent.readRun({
      params: { runId },
      query: wait > 0 ? { wait: String(wait) } : {},
      signal,
    });
  } catch (error) {
    if (mayFail && isTemporary(error)) return undefined;
    throw error;
  }
}
