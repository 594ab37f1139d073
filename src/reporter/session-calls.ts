import type { SessionResult, SessionStatus } from "../contract/test-sessions.ts";

/** A session of an app in the foreground, without whose it was. Instants are ISO 8601 UTC with milliseconds. */
export interface ReportedSession {
  readonly startedAt: string;
  readonly endedAt: string;
  /** Distinct names, at most 50. */
  readonly screens: string[];
  readonly appVersion?: string;
}

/** The two calls that a reporter makes: those of `createClient`, or ones that the app makes with its own means. */
export interface SessionCalls {
  readonly sessions: {
    report(input: {
      readonly body: ReportedSession & { readonly testKey: string };
      readonly idempotencyKey: string;
    }): Promise<SessionResult>;
    status(input: { readonly query: { readonly testKey: string } }): Promise<SessionStatus>;
  };
}

/** How a seat's day stands. */
export type MatchedStatus = Extract<SessionStatus, { matched: true }>;

/** What went wrong with a call: never the error itself, whose text may hold an address with the test key. */
export interface Failure {
  readonly call: "report" | "status";
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** What is told of an error of either call, as `createClient` throws it, or as anything else with these fields. */
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
