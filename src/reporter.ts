import type { SessionResult } from "./contract/test-sessions.ts";
import { createForegroundTime } from "./foreground-time.ts";
import { createPendingSessions, type PendingSession } from "./pending-sessions.ts";
import type { Failure, MatchedStatus, SessionCalls } from "./session-calls.ts";
import { createSessionSender } from "./session-sender.ts";

export interface SessionReporterOptions {
  readonly client: SessionCalls;
  /** Called for the test key before every use, because keys rotate; without it, `setTestKey` gives the key. */
  readonly readTestKey?: () => string | null | Promise<string | null>;
  readonly appVersion?: string;
  /**
   * Called with the state of the slot's day each time the app comes to the foreground. Not called without a slot.
   */
  readonly onStatus?: (status: MatchedStatus) => void;
  /** Called with the result of each reported session. Not called without a slot. */
  readonly onResult?: (result: SessionResult) => void;
  /** Called for each failed call, for the developer of the app. Failed calls are repeated automatically. */
  readonly onFailure?: (failure: Failure) => void;
  /** Sessions that an earlier run of the app could not report. */
  readonly pending?: readonly PendingSession[];
  /** Called with the pending sessions after each change, to store them. They hold no test key. */
  readonly onPending?: (pending: readonly PendingSession[]) => void;
  /** The most pending sessions; 50 unless given. */
  readonly mostPending?: number;
  readonly now?: () => Date;
}

export interface SessionReporter {
  /** Sets the key, in memory only. `null`: the tester has left, and nothing more is sent. */
  setTestKey(key: string | null): void;
  /** The app shows a screen of this name. */
  screen(name: string): void;
  /** The app came to the foreground: a session begins, and the status is read. Never rejects. */
  foreground(): Promise<void>;
  /** The app left the foreground: the session ends and is reported. Never rejects. */
  background(): Promise<void>;
  /** The sessions that are not reported yet. */
  pending(): readonly PendingSession[];
}

/**
 * Reports the sessions of a tester's app, and asks how the day stands. What counts is the server's to decide: every
 * session that reached a screen is reported. A key that belongs to no slot gets no error. (rule T14)
 */
export function createSessionReporter(options: SessionReporterOptions): SessionReporter {
  const { client, readTestKey, onStatus, onResult, onFailure, now = () => new Date() } = options;
  const { pending: kept = [], mostPending = 50, onPending = () => {} } = options;
  const time = createForegroundTime(options.appVersion);
  const pending = createPendingSessions(kept, mostPending, onPending);
  const inLine = createLine();
  let givenKey: string | null = null;
  const testKey = async () => (readTestKey ? undefinedOnFailure(readTestKey) : givenKey);
  const sender = createSessionSender({ client, pending, testKey, now, onStatus, onResult, onFailure });

  /** Makes the session pending at once, because the app may end before it is sent. */
  function endedSession(): PendingSession | undefined {
    const ended = time.end(now());
    if (!ended) return undefined;
    const session = { ...ended, idempotencyKey: newKey(now()) };
    pending.add(session);
    return session;
  }

  return {
    setTestKey(key) {
      givenKey = key;
      if (key === null) pending.clear();
    },
    screen: (name) => time.reach(name),
    foreground() {
      time.begin(now());
      return inLine(() => sender.reportAll().then(sender.askStatus));
    },
    background() {
      const session = endedSession();
      return inLine(async () => {
        if (session && (await testKey()) === null) pending.remove(session);
        await sender.reportAll();
      });
    },
    pending: () => pending.all(),
  };
}

/** If the key cannot be read now, the session waits. That is not the same as no key. */
async function undefinedOnFailure(
  read: () => string | null | Promise<string | null>,
): Promise<string | null | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** A function that runs one task after another, so that no session is sent twice at once. It never rejects. */
function createLine() {
  let line = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    line = line.then(work).catch(() => {});
    return line;
  };
}

/** An id, unique for this tester, made with means that every JavaScript engine has. */
const newKey = (now: Date): string =>
  [now.getTime(), Math.random(), Math.random()].map((part) => part.toString(36).replace("0.", "")).join("-");
