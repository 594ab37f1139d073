import type { SessionResult, SessionStatus } from "./contract/test-sessions.ts";

/** A test session: an app in the foreground, without its tester. Instants are ISO 8601 UTC with milliseconds. */
export interface ReportedSession {
  readonly startedAt: string;
  readonly endedAt: string;
  /** Distinct names, at most 50. */
  readonly screens: string[];
  readonly appVersion?: string;
}

/** The two calls that a reporter makes: those of `createClient`, or the app's own. */
export interface SessionCalls {
  readonly sessions: {
    report(input: {
      readonly body: ReportedSession & { readonly testKey: string };
      readonly idempotencyKey: string;
    }): Promise<SessionResult>;
    status(input: { readonly query: { readonly testKey: string } }): Promise<SessionStatus>;
  };
}

/** The state of a slot's day. */
export type MatchedStatus = Extract<SessionStatus, { matched: true }>;

/** A failed call. It does not hold the error, because an error text may hold an address with the test key. */
export interface Failure {
  readonly call: "report" | "status";
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** The failure for an error of either call: an error of `createClient`, or anything else with these fields. */
export function failureOf(call: Failure["call"], error: unknown): Failure {
  const field = (name: string): unknown =>
    typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
  const [status, code, seconds] = [field("status"), field("code"), field("retryAfterSeconds")];
  return {
    call,
    status: typeof status === "number" ? status : undefined,
    code: typeof code === "string" ? code : undefined,
    retryAfterSeconds: typeof seconds === "number" ? seconds : undefined,
  };
}
