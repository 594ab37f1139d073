import type { Clock } from "../src/client/wait.ts";
import type { AwaitDecision } from "./decision-watch.ts";
import type { Proposals } from "./proposal-files.ts";
import type { Connection } from "./refusals.ts";

/** Returns the bytes of a file; `too large` above `most` bytes; undefined if it cannot be read. */
type Download = (url: URL, most: number, signal: AbortSignal) => Promise<Buffer | "too large" | undefined>;

/** The dependencies of the tools. */
export interface Deps {
  readonly baseUrl: string;
  readonly consoleUrl: string | undefined;
  readonly maxWaitSeconds: number;
  readonly readOnly: boolean;
  /** Whether the tools for the work on approved plans are offered. */
  readonly work: boolean;
  /**
   * The name under which the tools claim plans. It is different for each process, and over HTTP for each call.
   */
  readonly worker: string;
  readonly connection: Connection;
  readonly proposals: Proposals;
  /** Whether this machine records the proposals that it sent. Without records it cannot list them. */
  readonly keepsRecord: boolean;
  /** The thread id of each proposal, by the id of the proposal. */
  readonly threadOfRun: Map<string, string>;
  /** How often each proposal was read before its decision. After more reads, the answer suggests a longer wait. */
  readonly timesPending: Map<string, number>;
  /** Returns true at the first call for a proposal. So the decision page is offered only once. */
  readonly isFirstOffer: (runId: string) => boolean;
  readonly awaitDecision: () => Promise<AwaitDecision>;
  /** Runs actions on the same thread one after another. */
  readonly oneAtATime: <T>(feedbackId: string, act: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  /** Returns the bytes of an uploaded file; undefined if they cannot be read. */
  readonly download: Download;
  /** Describes a failure in constant sentences, which contain no untrusted text. */
  readonly explain: (error: unknown) => Promise<string>;
}

/** Returns a function that runs actions with the same key one after another, in the order of the calls. */
export function keyedQueue(): <T>(key: string, act: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();

  return async (key, act) => {
    const run = (last.get(key) ?? Promise.resolve()).then(act, act);
    last.set(key, run);
    try {
      return await run;
    } finally {
      if (last.get(key) === run) last.delete(key);
    }
  };
}

/** Creates a function that returns true at the first call with a key. It stores only the newest `most` keys. */
export function firstTimes(most = 1_000): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => {
    if (seen.has(key)) return false;
    seen.add(key);
    for (const oldest of seen) if (seen.size > most) seen.delete(oldest);
    return true;
  };
}
