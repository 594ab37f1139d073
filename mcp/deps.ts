import type { Clock } from "../src/client/waiting/clock.ts";
import type { Connection } from "./api/connection.ts";
import type { Proposals } from "./proposals/proposals.ts";
import type { AwaitDecision } from "./tools/get-decision/decision-watch.ts";

/** The dependencies of the tools. */
export interface Deps {
  readonly baseUrl: string;
  readonly consoleUrl: string | undefined;
  readonly maxWaitSeconds: number;
  readonly readOnly: boolean;
  readonly connection: Connection;
  readonly proposals: Proposals;
  /** The thread of each proposal that was seen on a thread. */
  readonly threadOfRun: Map<string, string>;
  /** How often each proposal was found undecided, which decides the advised wait. */
  readonly timesPending: Map<string, number>;
  readonly awaitDecision: () => Promise<AwaitDecision>;
  /** Runs actions on the same thread one after another. */
  readonly oneAtATime: <T>(feedbackId: string, act: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  /** Describes a failure in our own words. */
  readonly explain: (error: unknown) => Promise<string>;
}
