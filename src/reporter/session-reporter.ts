import type { SessionResult } from "../contract/test-sessions.ts";
import { createForegroundTime } from "./foreground-time.ts";
import { createPendingSessions, type PendingSession } from "./pending-sessions.ts";
import type { Failure, MatchedStatus, SessionCalls } from "./session-calls.ts";
import { createSessionSender } from "./session-sender.ts";

export interface SessionReporterOptions {
  readonly client: SessionCalls;
  /** Reads the test key anew for every use, for keys rotate; without it, `setTestKey` gives the key. */
  readonly readTestKey?: () => string | null | Promise<string | null>;
  readonly appVersion?: string;
  /** Hears how the seat's day stands, each time the app comes to the foreground. Nothing where there is no seat. */
  readonly onStatus?: (status: MatchedStatus) => void;
  /** Hears what became of each reported session. Nothing where there is no seat. */
  readonly onResult?: (result: SessionResult) => void;
  /** Hears of calls that failed, for the developer of the app. They are tried again by themselves. */
  readonly onFailure?: (failure: Failure) => void;
  /** Sessions that an earlier run of the app could not report. */
  readonly pending?: readonly PendingSession[];
  /** Hears what is pending whenever that changes, to store it. It holds no test key. */
  readonly onPending?: (pending: readonly PendingSession[]) => void;
  /** How many sessions wait at most; 50 unless given. */
  readonly mostPending?: number;
  readonly now?: () => Date;
}

export interface SessionReporter {
  /** Keeps the key in memory only. `null`: the tester has left, and nothing of them is sent any more. */
  setTestKey(key: string | null): void;
  /** The app shows a screen of this name. */
  screen(name: string): void;
  /** The app came to the foreground: a session begins, and the status is asked. Never rejects. */
  foreground(): Promise<void>;
  /** The app left the foreground: the session ends and is reported. Never rejects. */
  background(): Promise<void>;
  /** The sessions that are still to be reported. */
  pending(): readonly PendingSession[];
}

/**
 * Reports the sessions of a tester's app, and asks how the day stands. What counts is the server's to decide: every
 * session that reached a screen is reported. A key that is no seat's is met with silence. (rule T14)
 */
export function createSessionReporter(options: SessionReporterOptions): SessionReporter {
  const { client, readTestKey, onStatus, onResult, onFailure, now = () => new Date() } = options;
  const { pending: kept = [], mostPending = 50, onPending = () => {} } = options;
  const time = createForegroundTime(options.appVersion);
  const pending = createPendingSessions(kept, mostPending, onPending);
  const inLine = createLine();
  let givenKey: string | null = null;
  const testKey = async () => (readTestKey ? unlessItFails(readTestKey) : givenKey);
  const sender = createSessionSender({ client, pending, testKey, now, onStatus, onResult, onFailure });

  /** It is pending at once: the app may be ended before anything could be sent. */
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

/** A key that cannot be read just now is not one that is gone: its session waits. */
async function unlessItFails(
  read: () => string | null | Promise<string | null>,
): Promise<string | null | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** Gives what does one thing after another, so that no session is sent twice at once. Nothing of it rejects. */
function createLine() {
  let line = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    line = line.then(work).catch(() => {});
    return line;
  };
}

/** Unlike any other of this tester; every engine that runs apps can make it. */
const newKey = (now: Date): string =>
  [now.getTime(), Math.random(), Math.random()].map((part) => part.toString(36).replace("0.", "")).join("-");
