import { valueAt } from "./contract/json.ts";
import { limits } from "./contract/limits.ts";
import type { SessionResult, SessionStatus } from "./contract/test-sessions.ts";

export interface SessionReporterOptions {
  readonly client: SessionCalls;
  /** Returns the test key. Called before every use, because the key may change. Default: the key of `setTestKey`. */
  readonly readTestKey?: () => string | null | Promise<string | null>;
  readonly appVersion?: string;
  /** Called with today's state when the app comes to the foreground, if the test key has a slot. */
  readonly onStatus?: (status: MatchedStatus) => void;
  /** Called with the result of each reported session. Not called if the test key has no slot. */
  readonly onResult?: (result: SessionResult) => void;
  /** Called for each failed call, for the developer of the app. Failed calls are repeated automatically. */
  readonly onFailure?: (failure: Failure) => void;
  /** Sessions that an earlier run of the app could not report. */
  readonly pending?: readonly PendingSession[];
  /** Called after each change with the pending sessions, so that the app can store them. They contain no test key. */
  readonly onPending?: (pending: readonly PendingSession[]) => void;
  /** The maximum number of pending sessions. The default is 50. */
  readonly mostPending?: number;
  readonly now?: () => Date;
}

export interface SessionReporter {
  /** Sets the test key in memory. With `null`, the tester has left the test, and nothing more is sent. */
  setTestKey(key: string | null): void;
  /** Call this when the app shows the screen with this name. */
  screen(name: string): void;
  /**
   * Call this when the app has come to the foreground. Begins a session and reads the status. Never rejects.
   */
  foreground(): Promise<void>;
  /** Call this when the app has left the foreground. Ends the session and reports it. Never rejects. */
  background(): Promise<void>;
  /** The sessions that are not reported yet. */
  pending(): readonly PendingSession[];
}

/**
 * Creates a reporter. It ignores sessions without a screen. A test key without a slot causes no error.
 * (rule T14)
 */
export function createSessionReporter(options: SessionReporterOptions): SessionReporter {
  const { client, readTestKey, onStatus, onResult, onFailure, now = () => new Date() } = options;
  const { pending: kept = [], mostPending = 50, onPending = () => {} } = options;
  const time = createForegroundTime(options.appVersion);
  const pending = createPendingSessions(kept, mostPending, onPending);
  const inTurn = createTurns();
  let givenKey: string | null = null;
  const testKey = async () => (readTestKey ? undefinedOnFailure(readTestKey) : givenKey);
  const sender = createSessionSender({ client, pending, testKey, now, onStatus, onResult, onFailure });

  /** Ends the session and stores it as pending immediately, because the app may end before the session is sent. */
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
      return inTurn(() => sender.reportAll().then(sender.askStatus));
    },
    background() {
      const session = endedSession();
      return inTurn(async () => {
        if (session && (await testKey()) === null) pending.remove(session);
        await sender.reportAll();
      });
    },
    pending: () => pending.all(),
  };
}

/** Returns the test key; null if there is none. Undefined if the key cannot be read now. */
async function undefinedOnFailure(
  read: () => string | null | Promise<string | null>,
): Promise<string | null | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** Returns a function that runs one task after another, so that no session is sent twice. It never rejects. */
function createTurns() {
  let last = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch(() => {});
    return last;
  };
}

/** Returns an id that is unique for this tester. Uses only functions that every JavaScript engine has. */
const newKey = (now: Date): string =>
  [now.getTime(), Math.random(), Math.random()].map((part) => part.toString(36).replace("0.", "")).join("-");

interface SenderOptions {
  readonly client: SessionCalls;
  readonly pending: PendingSessions;
  /** The current test key. Null if there is no tester. Undefined if the key could not be read. */
  readonly testKey: () => Promise<string | null | undefined>;
  readonly now: () => Date;
  readonly onStatus: ((status: MatchedStatus) => void) | undefined;
  readonly onResult: ((result: SessionResult) => void) | undefined;
  readonly onFailure: ((failure: Failure) => void) | undefined;
}

/** Reports sessions, and asks for the status of the day. Both functions resolve even if a request fails. */
interface SessionSender {
  /** Reports pending sessions, oldest first. Stops at the first session that fails now but may succeed later. */
  reportAll(): Promise<void>;
  askStatus(): Promise<void>;
}

function createSessionSender(options: SenderOptions): SessionSender {
  const { client, pending, now } = options;
  let notBefore = 0;

  /** Reports a session. Returns true if it was reported or can never be accepted. */
  async function report(session: PendingSession): Promise<boolean> {
    const testKey = await options.testKey();
    if (!testKey) return false;
    const { idempotencyKey, ...body } = session;
    const call = () => client.sessions.report({ body: { ...body, testKey }, idempotencyKey });
    const outcome = await settled("report", call);
    const done = "answer" in outcome || isPermanent(outcome.failure);
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

/** Whether the server will never accept the session. */
const isPermanent = ({ status }: Failure): boolean => status === 400 || status === 413 || status === 422;

/** A test session that is not reported yet. It contains no test key and may be stored. */
export interface PendingSession extends ReportedSession {
  readonly idempotencyKey: string;
}

/** The pending sessions in the order of their ends. If there are too many, the oldest session is deleted. */
interface PendingSessions {
  all(): readonly PendingSession[];
  add(session: PendingSession): void;
  remove(session: PendingSession): void;
  clear(): void;
}

/** `changed` is called after every change, with all pending sessions. */
function createPendingSessions(
  kept: readonly PendingSession[],
  most: number,
  changed: (pending: readonly PendingSession[]) => void,
): PendingSessions {
  let pending = kept.slice(-most);
  const replaceWith = (next: PendingSession[]) => {
    pending = next;
    changed([...next]);
  };
  return {
    all: () => [...pending],
    add: (session) => replaceWith([...pending, session].slice(-most)),
    remove: (session) =>
      replaceWith(pending.filter(({ idempotencyKey }) => idempotencyKey !== session.idempotencyKey)),
    clear: () => replaceWith([]),
  };
}

/** Measures the time for which an app is in the foreground, and collects the shown screens. */
interface ForegroundTime {
  begin(now: Date): void;
  reach(screen: string): void;
  /** Ends the session and returns it. Undefined if no session has begun or no screen was shown. */
  end(now: Date): ReportedSession | undefined;
}

const longest = limits.sessionHours * 3_600_000;

function createForegroundTime(appVersion: string | undefined): ForegroundTime {
  let startedAt: Date | undefined;
  /** The screen that the app shows. The app shows it again when it returns to the foreground. */
  let current = "";
  const screens = new Set<string>();

  function add(name: string): void {
    if (startedAt && name !== "" && screens.size < limits.screens) screens.add(name);
  }

  return {
    begin(now) {
      if (startedAt) return;
      startedAt = now;
      add(current);
    },
    reach(screen) {
      current = nameOf(screen);
      add(current);
    },
    end(now) {
      const [began, reached] = [startedAt, [...screens]];
      startedAt = undefined;
      screens.clear();
      if (!began || reached.length === 0) return undefined;
      const length = Math.min(Math.max(now.getTime() - began.getTime(), 0), longest);
      return {
        startedAt: began.toISOString(),
        endedAt: new Date(began.getTime() + length).toISOString(),
        screens: reached,
        ...(appVersion === undefined ? {} : { appVersion }),
      };
    },
  };
}

/** Returns a name that the server accepts. An invalid screen name must not make a session fail. */
function nameOf(screen: string): string {
  const clean = [...screen].filter(isCharacter).join("").trim();
  return [...clean].slice(0, limits.screenName).join("").trim();
}

/** Whether a character is neither NUL nor half of a surrogate pair. */
const isCharacter = (character: string): boolean =>
  character !== "\0" && (character.length > 1 || character < "\ud800" || character > "\udfff");

/**
 * A test session: foreground time and shown screens, without the tester's name. Times are ISO 8601 UTC with
 * milliseconds.
 */
export interface ReportedSession {
  readonly startedAt: string;
  readonly endedAt: string;
  /** The names of the shown screens, without duplicates, at most 50. */
  readonly screens: string[];
  readonly appVersion?: string;
}

/**
 * The two calls that a reporter makes. A client of `createClient` has them, or the app implements them itself.
 */
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

/** A failed call. It does not contain the error, because the text of the error may contain the test key. */
export interface Failure {
  readonly call: "report" | "status";
  /** The HTTP status. Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** Returns the failure for the error of a call: an error of `createClient`, or any value with these fields. */
function failureOf(call: Failure["call"], error: unknown): Failure {
  const status = valueAt(error, "status");
  const code = valueAt(error, "code");
  const seconds = valueAt(error, "retryAfterSeconds");
  return {
    call,
    status: typeof status === "number" ? status : undefined,
    code: typeof code === "string" ? code : undefined,
    retryAfterSeconds: typeof seconds === "number" ? seconds : undefined,
  };
}
