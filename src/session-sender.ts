import type { SessionResult } from "./contract/test-sessions.ts";
import type { PendingSession, PendingSessions } from "./pending-sessions.ts";
import { type Failure, failureOf, type MatchedStatus, type SessionCalls } from "./session-calls.ts";

export interface SenderOptions {
  readonly client: SessionCalls;
  readonly pending: PendingSessions;
  /** The current test key; null without a tester, undefined if it could not be read. */
  readonly testKey: () => Promise<string | null | undefined>;
  readonly now: () => Date;
  readonly onStatus: ((status: MatchedStatus) => void) | undefined;
  readonly onResult: ((result: SessionResult) => void) | undefined;
  readonly onFailure: ((failure: Failure) => void) | undefined;
}

/** Makes the two calls. Both resolve if a call fails. */
export interface SessionSender {
  /** Reports pending sessions, oldest first, until one fails that may succeed later. */
  reportAll(): Promise<void>;
  askStatus(): Promise<void>;
}

export function createSessionSender(options: SenderOptions): SessionSender {
  const { client, pending, now } = options;
  let notBefore = 0;

  /** Gives whether the session is finished, so that the next one can be reported. */
  async function report(session: PendingSession): Promise<boolean> {
    const testKey = await options.testKey();
    if (!testKey) return false;
    const { idempotencyKey, ...body } = session;
    const call = () => client.sessions.report({ body: { ...body, testKey }, idempotencyKey });
    const outcome = await settled("report", call);
    const done = "answer" in outcome || isForGood(outcome.failure);
    if (done) pending.remove(session);
    if ("failure" in outcome) failed(outcome.failure);
    else if (outcome.answer.matched) options.onResult?.(outcome.answer);
    return done;
  }

  function failed(failure: Failure): void {
    if (failure.retryAfterSeconds !== undefined)
      notBefore = now().getTime() + failure.retryAfterSeconds * 1_000;
    options.onFailure?.(failure);
  }

  return {
    async reportAll() {
      if (now().getTime() < notBefore) return;
      for (const session of pending.all()) if (!(await report(session))) return;
    },
    async askStatus() {
      const testKey = await options.testKey();
      if (!testKey) return;
      const outcome = await settled("status", () => client.sessions.status({ query: { testKey } }));
      if ("failure" in outcome) options.onFailure?.(outcome.failure);
      else if (outcome.answer.matched) options.onStatus?.(outcome.answer);
    },
  };
}

type Outcome<Answer> = { readonly answer: Answer } | { readonly failure: Failure };

const settled = <Answer>(name: Failure["call"], call: () => Promise<Answer>): Promise<Outcome<Answer>> =>
  call().then(
    (answer) => ({ answer }),
    (error: unknown) => ({ failure: failureOf(name, error) }),
  );

/** The server will never take it. */
const isForGood = ({ status }: Failure): boolean => status === 400 || status === 413 || status === 422;
