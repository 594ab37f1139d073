import type { Clock } from "../src/client/waiting/clock.ts";
import type { Connection } from "./api/connection.ts";
import type { Proposals } from "./proposals/proposals.ts";
import type { AwaitDecision } from "./tools/get-decision/decision-watch.ts";

/** All that a tool may touch. */
export interface Deps {
  readonly baseUrl: string;
  readonly consoleUrl: string | undefined;
  readonly maxWaitSeconds: number;
  readonly readOnly: boolean;
  readonly connection: Connection;
  readonly proposals: Proposals;
  /** Threads of runs that were seen on them. */
  readonly threadOfRun: Map<string, string>;
  /** How often a run was found undecided, for how long to advise to wait. */
  readonly timesPending: Map<string, number>;
  readonly awaitDecision: () => Promise<AwaitDecision>;
  /** Does what concerns one thread one after the other. */
  readonly oneAtATime: <T>(feedbackId: string, act: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  /** Tells a failure in our own words. */
  readonly explain: (error: unknown) => Promise<string>;
}
