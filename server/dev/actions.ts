import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Next } from "koa";
import { ApiError, badRequest, type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { removeContent } from "../backup/store.ts";
import { everyTopic } from "../database/transaction.ts";
import { seedContent, seedDemo } from "../demo/seed-demo.ts";
import type { Deps } from "../deps.ts";
import { threadChanges } from "../feedback/agent-work/store/changes.ts";
import { type LatestMessage, outbox } from "../feedback/chat/store.ts";
import { pathOf } from "../http/pipeline.ts";
import { openMail } from "../mail/outgoing/queue.ts";
import { type MailRow, mails } from "../mail/outgoing/store.ts";
import { openAddress } from "../secrets/secrets.ts";
import { type ClockMove, type MovableClock, targetOf } from "./clock.ts";
import { createSnapshots } from "./snapshots.ts";

const mostMessages = 1_000;

/** A fault that a developer adds: some requests fail or wait because of it. */
interface WantedFault {
  readonly path: string;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly times: number;
  readonly delayMs: number;
}

/** Returns the actions that the endpoints and the page of a development server call. */
export function createActions(deps: Deps, clock: MovableClock, faults: Faults) {
  const { database, passingTime } = deps;
  const snapshots = createSnapshots(deps, clock);
  const inTurn = createTurns();
  const capture = () =>
    database.write(async (tx) => {
      const at = clock.now().toISOString();
      await outbox.capture(tx, at);
      await mails.capture(tx, at);
    });
  return {
    now: () => clock.now(),

    /** Moves the clock and applies the changes that are due. Returns the new time. */
    moveClock: (move: ClockMove): Promise<Date> =>
      inTurn(async () => {
        const target = targetOf(move, clock.now());
        clock.setOffset(target.getTime() - Date.now());
        await passingTime.catchUp();
        await capture();
        // Wakes jobs and requests that wait, because their remaining waiting time has changed.
        await database.write(async (tx) => tx.signal(everyTopic));
        return target;
      }),

    /** Adds a fault. Throws `bad_request` if its status and its code do not match. */
    addFault({ path, status, code, times, delayMs }: WantedFault): Fault {
      const error = errorOf(status, code);
      if (error === undefined) throw badRequest("status", `does not match the code ${code}`);
      const fault = { path, error, times, delayMs };
      faults.add(fault);
      return fault;
    },

    faults: () => faults.list(),
    clearFaults: () => faults.clear(),

    /** Returns the newest messages that a real server would have sent, newest first. */
    async messages() {
      await capture();
      const [messages, sent] = [
        await outbox.latest(database, mostMessages),
        await mails.latest(database, mostMessages),
      ];
      return [...messages.map((row) => chatMessage(deps, row)), ...sent.map((row) => mailMessage(deps, row))]
        .sort((one, other) => other.createdAt.localeCompare(one.createdAt))
        .slice(0, mostMessages);
    },

    saveSnapshot: (name: string) => inTurn(() => snapshots.save(name)),
    snapshots: () => snapshots.list(),
    loadSnapshot: (name: string) =>
      inTurn(async () => {
        const facts = await snapshots.load(name);
        await passingTime.catchUp();
        return facts;
      }),

    /** Resets the server: sets the real time, removes all faults, and restores the content of the demo. */
    reset: (): Promise<Date> =>
      inTurn(async () => {
        await resetContent(deps, clock);
        faults.clear();
        return clock.now();
      }),
  };
}

const chatMessage = ({ sealer }: Deps, row: LatestMessage) => ({
  ...row,
  target: openAddress(sealer, row.target),
  payload: JSON.parse(row.payload),
});

/** Returns a mail with the texts that its receiver would read. */
function mailMessage(deps: Deps, { content, settledAt, ...row }: MailRow) {
  const { id, appId, subjectId, recipient, status, createdAt } = row;
  const mail = content === null ? undefined : openMail(deps, content);
  const payload = { about: row.kind, subject: mail?.subject ?? null, text: mail?.text ?? null };
  return {
    id,
    kind: "mail",
    appId,
    subjectId,
    target: recipient,
    payload,
    status,
    createdAt,
    sentAt: settledAt,
  };
}

/**
 * Sets the clock to the real time, and restores the original content. After an error, the clock is unchanged.
 */
async function resetContent(deps: Deps, clock: MovableClock): Promise<void> {
  const demo = deps.settings.demo ? await seedDemo(deps) : undefined;
  const { offsetMs } = clock;
  // The new content gets its times from `clock`, and these times must be real times.
  clock.setOffset(0);
  try {
    const hashes = await deps.database.write(async (tx) => {
      const unused = await removeContent(tx);
      if (demo) await seedContent(deps, tx, demo);
      // Programs may have stored a position that is greater than the new ids. `restart` makes such a position
      // invalid.
      await threadChanges.restart(tx);
      tx.signal(everyTopic);
      return unused;
    });
    deps.limiter.forget();
    await deps.keptFiles.removeUnreferenced(hashes);
  } catch (error) {
    clock.setOffset(offsetMs);
    throw error;
  }
}

/** Runs tasks one after the other. Moves of the clock and changes of the content must not run together. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

export type DevActions = ReturnType<typeof createActions>;

/**
 * Delays or refuses requests for which a fault was added. If the faults are removed, a waiting request
 * continues.
 */
export function applyFaults(faults: Faults, { stopping }: Pick<Deps, "stopping">) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const fault = faults.take(pathOf(ctx) ?? "");
    if (!fault) return next();
    const cleared = faults.cleared();
    const signal = AbortSignal.any([stopping, cleared]);
    if (fault.delayMs > 0) await sleep(fault.delayMs, undefined, { signal }).catch(() => undefined);
    ctx.state.isWanted = true;
    if (fault.error && !cleared.aborted) throw apiErrorOf(fault.error);
    return next();
  };
}

/** A fault for the next requests to a path. `/a` also covers `/a/b`. */
export interface Fault {
  readonly path: string;
  /** The error that the requests get; null if the requests are only delayed. */
  readonly error: { readonly status: number; readonly code: ErrorCode } | null;
  /** The number of requests that still get the fault. */
  readonly times: number;
  readonly delayMs: number;
}

/** The faults that are still active, in the order in which they were added. */
interface Faults {
  add(fault: Fault): void;
  /** Returns the first fault for a path, and lowers its `times` by one. Undefined if there is none. */
  take(path: string): Fault | undefined;
  list(): readonly Fault[];
  clear(): void;
  /** Returns a signal that aborts when `clear` is called the next time. */
  cleared(): AbortSignal;
}

export function createFaults(): Faults {
  let faults: readonly Fault[] = [];
  let clearing = new AbortController();
  return {
    list: () => faults,
    add(fault) {
      faults = [...faults, fault];
    },
    clear() {
      faults = [];
      clearing.abort();
      clearing = new AbortController();
    },
    cleared: () => clearing.signal,
    take(path) {
      const found = faults.find((fault) => isFor(fault, path));
      if (found) faults = faults.flatMap((fault) => (fault === found ? usedOnce(fault) : [fault]));
      return found;
    },
  };
}

const isFor = ({ path: wanted }: Fault, path: string): boolean =>
  path === wanted || path.startsWith(wanted.endsWith("/") ? wanted : `${wanted}/`);

const usedOnce = (fault: Fault): Fault[] => (fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []);

export const codes: readonly ErrorCode[] = Object.keys(errorCatalogue).filter(isCode);

/** Error codes for statuses that several codes share. They are used if a developer gives only the status. */
const usualCodes: Readonly<Record<number, ErrorCode>> = {
  403: "forbidden",
  409: "wrong_state",
  422: "cycle_not_running",
};

/** Returns the error for a status and a code; null for neither; undefined if they do not match. */
function errorOf(status: number | undefined, code: string | undefined): Fault["error"] | undefined {
  if (code !== undefined && isCode(code)) {
    const usual = errorCatalogue[code].status;
    return status === undefined || status === usual ? { status: usual, code } : undefined;
  }
  if (status === undefined) return null;
  return { status, code: usualCodes[status] ?? codeOfStatus(status) };
}

const codeOfStatus = (status: number): ErrorCode =>
  codes.find((code) => errorCatalogue[code].status === status) ?? (status < 500 ? "bad_request" : "internal");

function isCode(name: string): name is ErrorCode {
  return Object.hasOwn(errorCatalogue, name);
}

/** Returns an error with `status` and with the body of `code`. The API itself may never combine these two. */
function apiErrorOf({ status, code }: NonNullable<Fault["error"]>): ApiError {
  const retry = status === 429 || status === 503 ? { retryAfterSeconds: 1 } : {};
  const cause = new Error("A developer has added this fault");
  return Object.assign(new ApiError(code, retry, { cause }), { status });
}
