import type * as z from "zod/mini";
import type {
  AgentScope,
  Auth,
  DeviceScope,
  Endpoint,
  Group,
  MaintainerScope,
  Role,
} from "../../src/contract/endpoint.ts";
import { badRequest, type ErrorCode } from "../../src/contract/errors.ts";
import type { RateLimitName } from "../../src/contract/limits.ts";
import type { Database, Inserter, Transaction } from "../database/database.ts";
import type { Download, EventStream, PreparedAnswer } from "./answers.ts";

/** A contract, and a handler for each of its endpoints. */
export interface Api<C extends Groups> {
  readonly contract: C;
  readonly handlers: HandlersOf<C>;
}

/** Calls `make` with each endpoint of an API and its handler, and returns the results. */
export function mapEndpoints<C extends Groups, Made>(
  { contract, handlers }: Api<C>,
  make: <E extends Endpoint>(endpoint: E, handle: Handler<E>) => Made,
): Made[] {
  const inGroup = <G extends Group>(group: G, ofGroup: Handlers<G>): Made[] => {
    const names: (keyof G)[] = Object.keys(group);
    return names.map((name) => make(group[name], ofGroup[name]));
  };
  const groups: (keyof C)[] = Object.keys(contract);
  return groups.flatMap((name) => inGroup(contract[name], handlers[name]));
}

/** A request after authentication and before validation. */
export interface IncomingRequest {
  readonly caller: Callers[Endpoint["auth"]];
  readonly path: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly lastEventId?: string | undefined;
  /** How many milliseconds the sender's clock is ahead of the server's clock. */
  readonly clockAhead?: number;
  readonly address: string;
  readonly browser: Request["browser"];
  readonly callerNow: () => Promise<Callers[Endpoint["auth"]]>;
  readonly signal: () => AbortSignal;
  readonly setSession: Request["setSession"];
}

export interface InvocationResult {
  readonly status: number;
  readonly body: string | PreparedAnswer | Download | EventStream | undefined;
  /** Whether this is the stored answer to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** Calls the handler of an endpoint. Throws the ApiErrors that the endpoint declares. */
export type Invoke = (incoming: IncomingRequest) => Promise<InvocationResult>;

export interface AppCaller {
  readonly kind: "appKey";
  readonly id: string;
  readonly appId: string;
  readonly ownerId: string;
  readonly feedbackEnabled: boolean;
  readonly changelogEnabled: boolean;
  readonly senderPages: boolean;
  /** Whether the app has blocked senders. */
  readonly blocksSenders: boolean;
  /** Whether a webhook or a program gets the events of the app. */
  readonly hasReceivers: boolean;
  readonly faqsVersion: number;
  readonly changelogVersion: number;
  readonly scopes: readonly MaintainerScope[];
}

export interface AgentCaller {
  readonly kind: "agentToken";
  readonly id: string;
  readonly userId: string;
  /** The only app that the token may see. Null if it may see all apps of its owner. */
  readonly appId: string | null;
  /** The lowest role that the owner of the token must have in the apps that the request is about. */
  readonly needs: Role;
  /** The rights that the token has in addition to reading and proposing. */
  readonly scopes: readonly AgentScope[];
}

/** A device on which a tester is signed in. */
export interface DeviceCaller {
  readonly kind: "deviceToken";
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly scopes: readonly DeviceScope[];
}

/** A person signed in to the console, or a maintainer token acting for its owner. */
export interface ConsoleCaller {
  readonly kind: "session" | "maintainerToken";
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly scopes: readonly MaintainerScope[];
  readonly appId: string | null;
  /** The lowest role that the person must have in the apps that the request is about. */
  readonly needs: Role;
}

export interface Callers {
  none: undefined;
  appKey: AppCaller;
  agentToken: AgentCaller;
  deviceToken: DeviceCaller;
  console: ConsoleCaller;
  session: ConsoleCaller;
}

/** A handler of a `pending` endpoint returns this while there is no result. The response is then 202 with `{}`. */
export const notYet = Symbol("not yet");

type Parsed<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined;

export type AnswerOf<E extends Endpoint> = E["success"] extends { body: infer Body extends z.ZodMiniType }
  ? z.input<Body> | PreparedAnswer | (E extends { pending: true } ? typeof notYet : never)
  : E["success"] extends { download: readonly string[] }
    ? Download
    : E["success"] extends { events: z.ZodMiniType }
      ? EventStream
      : undefined;

export interface Browser {
  readonly origin: string | undefined;
  /** The value of the browser's session cookie. */
  readonly sessionId: string | undefined;
  /** The cookie with the accounts to which the browser has signed in. */
  readonly known: string | undefined;
  readonly userAgent: string | undefined;
}

/**
 * Identifies a request and its repeats. Handlers with several transactions use it to continue an interrupted
 * request.
 */
export interface RepeatMark {
  readonly name: string;
  /** The fingerprint of the content. A repeat with another fingerprint is refused. */
  readonly content: string;
}

/** A request after authentication and validation. */
export interface Request<E extends Endpoint = Endpoint> {
  readonly caller: Callers[E["auth"] & Auth];
  readonly params: Parsed<E["params"]>;
  readonly query: Parsed<E["query"]>;
  readonly body: Parsed<E["body"]>;
  /** The header `If-Match`: the ETags of the data that the client has read. */
  readonly ifMatch: string | undefined;
  /** The header `Last-Event-ID`. It is the id of the last event that a browser has received. */
  readonly lastEventId: string | undefined;
  /** How many milliseconds the sender's clock is ahead of the server's clock; 0 if the request has no date. */
  readonly clockAhead: number;
  /** The client's network address. */
  readonly address: string;
  /** The headers that a browser adds automatically. */
  readonly browser: Browser;
  /**
   * Checks the credential again and returns its caller. Rejects if the credential was revoked after the request began.
   */
  readonly callerNow: () => Promise<Callers[E["auth"] & Auth]>;
  /** Creates a signal that aborts when the client disconnects or the server stops. */
  readonly signal: () => AbortSignal;
  /** Identifies the request. Its repeats have the same value. Undefined without an Idempotency-Key. */
  readonly repeat: RepeatMark | undefined;
  /** Undoes the use of the rate limit. Only requests that can wait (with the parameter `wait`) call this function. */
  readonly giveBack: () => void;
  /**
   * Runs `work` in one transaction with the rate limit and the Idempotency-Key. Call it once. `SaveOptions`
   * (call-steps.ts) explains `keeping`.
   */
  save<Answer extends AnswerOf<E>>(
    work: (tx: Transaction) => Promise<Answer>,
    keeping?: {
      readonly repeatableUntil?: Date;
      readonly first?: (tx: Transaction) => Promise<void>;
      readonly rateLimit?: () => RateLimitName;
    },
  ): Promise<Answer>;
  /** Does the same as `save` for one insert. The server joins waiting inserts in one statement. */
  saveRow<Answer extends AnswerOf<E>>(
    insert: (into: Inserter) => Promise<void>,
    answer: Answer,
  ): Promise<Answer>;
  /** Sets the console session's cookie, or clears it. */
  setSession(
    session: { readonly id: string; readonly expiresAt: Date; readonly known?: string } | null,
  ): void;
}

/** The function that does the work of an endpoint and returns the answer. */
export interface Handler<E extends Endpoint> {
  (request: Request<E>): Promise<AnswerOf<E>>;
  readonly traits?: Traits;
}

/** Says where (`by`) a request contains the id of a cycle, listing, slot or tester (`of`). */
export interface CatchUp {
  readonly of: "cycle" | "listing" | "slot" | "tester";
  readonly by: "account" | `params.${string}` | `body.${string}`;
}

/** Properties of an endpoint that clients do not need. They are set where the handler is defined. */
interface Traits {
  /**
   * Secret body fields. If the request has no credential, these fields and `repeatableBy` encrypt the stored
   * answer.
   */
  readonly sealedBy?: readonly string[];
  /** Error codes that a repeat must get again, in addition to all errors with status 409 and 422. */
  readonly keptRefusals?: readonly ErrorCode[];
  /** The test cycles in which due changes are applied before the handler is called. */
  readonly catchesUp?: CatchUp;
  /**
   * Set if the server may send the endpoint's answer again without the handler, while the answer is certainly
   * unchanged.
   */
  readonly ready?: true;
}

/** An endpoint of the contract, with the options of its handler, such as `ready`. */
export type ServedEndpoint = Endpoint & Traits;

/** Returns the endpoint with the traits of its handler. */
export const servedBy = <E extends Endpoint>(
  endpoint: E,
  { traits }: Pick<Handler<E>, "traits">,
): E & Traits => ({
  ...endpoint,
  ...traits,
});

export const withTraits = <E extends Endpoint>(traits: Traits, handle: Handler<E>): Handler<E> =>
  Object.assign((request: Request<E>) => handle(request), { traits });

/** A handler for every endpoint of a group. */
export type Handlers<G extends Group> = { readonly [Name in keyof G]: Handler<G[Name]> };

export type Groups = Readonly<Record<string, Group>>;

/** A handler for every endpoint of every group. */
export type HandlersOf<C extends Groups> = { readonly [Name in keyof C]: Handlers<C[Name]> };

/** The position at which a page of a list starts: the sort key of the row before the page. */
type Position = readonly string[];

/** One part of a sort key. `form` matches its text in a cursor. `start` comes before all other values. */
interface KeyPart {
  readonly form: RegExp;
  readonly start: string;
}

export const instantPart: KeyPart = {
  form: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  start: "9999-12-31T23:59:59.999Z",
};

export const idPart: KeyPart = { form: /^[\da-f-]{36}$/, start: "g" };

/** The parts of a sort key for a list that begins with the oldest row. */
export const oldestFirst = {
  instant: { ...instantPart, start: "" },
  id: { ...idPart, start: "" },
} as const;

export const sequencePart: KeyPart = { form: /^\d{1,15}$/, start: String(Number.MAX_SAFE_INTEGER) };

/**
 * Returns the position of a cursor, or the start of the list without one. Throws `bad_request` for an invalid cursor.
 */
export function readCursor(cursor: string | undefined, parts: readonly KeyPart[]): Position {
  if (cursor === undefined) return parts.map(({ start }) => start);
  const position = Buffer.from(cursor, "base64url").toString().split(" ");
  const fits =
    position.length === parts.length && parts.every(({ form }, at) => form.test(position[at] ?? ""));
  if (fits) return position;
  throw badRequest("cursor", "must be the `nextCursor` of an earlier page of the same list");
}

/**
 * Returns the first `limit` rows and the next cursor. The caller must read one row more than `limit`.
 * (rule H24)
 */
export function pageOf<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Position) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, nextCursor: more ? cursorOf(keyOf(last)) : null };
}

const cursorOf = (position: Position): string => Buffer.from(position.join(" ")).toString("base64url");

/** Returns a page of a search. `reached` is the `seq` of the thread at which the search stopped early. */
export function searchedPage<Row>(
  rows: readonly Row[],
  limit: number,
  { keyOf, reached }: { readonly keyOf: (row: Row) => Position; readonly reached?: number | undefined },
) {
  const { items, nextCursor } = pageOf(rows, limit, keyOf);
  const stopped = reached === undefined ? null : cursorOf([String(reached)]);
  return { items, nextCursor: nextCursor ?? stopped };
}

/** Lets requests wait for signals of changes. */
export interface Waiting {
  /**
   * Calls `look` now and at signals of `topics`, until `enough` returns true. After `milliseconds`, returns the
   * last result. (rule A22)
   */
  until<Found>(
    topics: readonly string[],
    look: () => Promise<Found>,
    options: WaitOptions<Found>,
  ): Promise<Found>;
}

export interface WaitOptions<Found> {
  readonly enough: (found: Found) => boolean;
  readonly milliseconds: number;
  /** Returns the signal that ends the wait. Called only if the request really waits. */
  readonly signal: () => AbortSignal;
  /** Registers `wake` for changes that have no topic. Returns a function that removes `wake` again. */
  readonly listen?: (wake: () => void) => () => void;
  /**
   * Called when the wait begins. `isResting` returns false while `look` runs. Returns a function to call at the
   * end.
   */
  readonly attend?: (isResting: () => boolean) => () => void;
}

/** Lets requests wait for the signals of a database. */
export function createWaiting(
  database: Pick<Database, "engine" | "onSignal" | "onForeignChange">,
  againMilliseconds = 5_000,
): Waiting {
  const listeners = new Map<string, Set<() => void>>();
  const listen = (topic: string, wake: () => void) => {
    listeners.set(topic, (listeners.get(topic) ?? new Set()).add(wake));
  };
  const unlisten = (topic: string, wake: () => void) => {
    const wakers = listeners.get(topic);
    wakers?.delete(wake);
    if (wakers?.size === 0) listeners.delete(topic);
  };
  const wakeAll = () => {
    for (const wakers of listeners.values()) for (const wake of wakers) wake();
  };
  database.onSignal((topic) => {
    if (topic === "*") wakeAll();
    else for (const wake of listeners.get(topic) ?? []) wake();
  });
  // If another process writes to a SQLite file, this process gets no signal. So this process wakes all waiting
  // requests.
  database.onForeignChange(wakeAll);

  return {
    async until(topics, look, { enough, milliseconds, signal: gone, ...beside }) {
      if (milliseconds === 0) return look();
      const pause = createPause();
      for (const topic of topics) listen(topic, pause.resume);
      const unlistenBeside = beside.listen?.(pause.resume);
      const leave = beside.attend?.(pause.isWaiting);
      let over = false;
      const end = () => {
        over = true;
        pause.resume();
      };
      const timer = setTimeout(end, milliseconds);
      // A signal may be lost on PostgreSQL. For this reason, `look` runs regularly there.
      const again = database.engine === "postgres" ? setInterval(pause.resume, againMilliseconds) : undefined;
      const signal = gone();
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
      try {
        for (;;) {
          const found = await look();
          if (over || enough(found)) return found;
          await pause.resumed();
        }
      } finally {
        clearTimeout(timer);
        clearInterval(again);
        signal.removeEventListener("abort", end);
        for (const topic of topics) unlisten(topic, pause.resume);
        unlistenBeside?.();
        leave?.();
      }
    },
  };
}

/** Creates a pause that `resume` ends. If `resume` was called before the pause, the pause ends immediately. */
function createPause() {
  let hasResumed = false;
  let wake: (() => void) | undefined;
  return {
    /** Whether a call of `resumed` is waiting now. */
    isWaiting: () => wake !== undefined,
    resume() {
      hasResumed = true;
      wake?.();
      wake = undefined;
    },
    async resumed() {
      if (!hasResumed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      hasResumed = false;
    },
  };
}
