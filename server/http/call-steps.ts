import { createHash } from "node:crypto";
import type * as z from "zod/mini";
import { type Endpoint, errorsOf, isMutation, needsRole } from "../../src/contract/endpoint.ts";
import { ApiError, faultsOf, type Issue, notUuid } from "../../src/contract/errors.ts";
import { isReceivedFile } from "../../src/contract/files.ts";
import { fieldsOf, shortTextAt, valueAt } from "../../src/contract/json.ts";
import { limits, type RateLimitName } from "../../src/contract/limits.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { isDangling } from "../database/errors.ts";
import type { Deps } from "../deps.ts";
import { createSealer, hashOf, type Sealer } from "../secrets/secrets.ts";
import { errorBody, isDownload, isEventStream, isPrepared } from "./answers.ts";
import { asAsked, requireScope } from "./authenticate.ts";
import {
  type AnswerOf,
  type CatchUp,
  type IncomingRequest,
  type InvocationResult,
  notYet,
  type Request,
  type ServedEndpoint,
} from "./handler.ts";
import {
  appOfRequest,
  type FoundAnswer,
  type IdempotencyKey,
  idempotency,
  type KnownKey,
  mayStillGet,
  nameOf,
  type StoredAnswer,
  scopeOf,
} from "./idempotency-store.ts";
import { countAttempt, isInMemory, limitedByOf, namingLimit } from "./rate-limits/rate-limits.ts";
import type { GiveBack, MutationUse } from "./rate-limits/store.ts";

export type InvokeDeps = Pick<
  Deps,
  "clock" | "database" | "limiter" | "passingTime" | "sealer" | "settings" | "time"
>;

/** The state of one call of an endpoint. Each step reads fields that earlier steps have set. */
export interface Call {
  readonly endpoint: ServedEndpoint;
  readonly handle: (request: Request) => Promise<unknown>;
  readonly deps: InvokeDeps;
  incoming: IncomingRequest;
  key: IdempotentRequest | undefined;
  /** The key under which the rate limit counts the call. Undefined if there is no limit. */
  limitedBy: string | undefined;
  /**
   * Whether the steps before `countAttempts` have succeeded. From then on, only errors that the endpoint declares may
   * occur.
   */
  begun: boolean;
  parts: ReturnType<typeof parse>;
  saving: Pick<Request, "save" | "saveRow">;
  giveBack: GiveBack;
  answer: unknown;
  /** The result of the call. The first step that sets it ends the call. */
  outcome: InvocationResult | undefined;
}

/** Creates the state of a call. An object spread would make read requests 5 % slower. */
export const newCall = ({
  endpoint,
  handle,
  deps,
  incoming,
}: Pick<Call, "endpoint" | "handle" | "deps" | "incoming">): Call => ({
  endpoint,
  handle,
  deps,
  incoming,
  key: undefined,
  limitedBy: undefined,
  begun: false,
  parts: nothingGiven,
  saving: readsOnly,
  giveBack: nothingUsed,
  answer: undefined,
  outcome: undefined,
});

/**
 * Throws `insufficient_scope` if the caller lacks the scope of the endpoint. Sets `caller.needs` to the role
 * that the endpoint requires.
 */
export function checkScope(call: Call): void {
  requireScope(call.endpoint, call.incoming);
  call.incoming = { ...call.incoming, caller: asAsked(call.endpoint, call.incoming.caller) };
}

/** Sets `outcome` to the stored answer if the request is a repeat. */
export async function replayAnswer(call: Call): Promise<void> {
  const { endpoint, incoming, deps } = call;
  const key = idempotentRequestOf(endpoint, incoming, deps);
  if (!key) return;
  call.key = key;
  if (isRarelyRepeated(endpoint, incoming)) return;
  const kept = await idempotency.find(deps.database, key, deps.clock.now());
  if (!kept) return;
  // The same Idempotency-Key with another content counts as an attempt. The sender may be guessing the secret
  // in the content.
  if (endpoint.sealedBy && kept.fingerprint !== key.fingerprint) await countAttempt(endpoint, incoming, deps);
  call.outcome = await replayFor(incoming, key, kept, deps);
}

/**
 * Sets `begun`. If the endpoint limits attempts, counts the call as an attempt. Throws `rate_limited` after too
 * many attempts.
 */
export async function countAttempts(call: Call): Promise<void> {
  const { endpoint, incoming, deps } = call;
  call.limitedBy = limitedByOf(endpoint, incoming, deps);
  call.begun = true;
  if (endpoint.attempts) await countAttempt(endpoint, incoming, deps);
}

/** Parses the parts of the request. Throws `not_found` for a malformed id, and `bad_request` for other faults. */
export function checkShape(call: Call): void {
  const parts = parse(call.endpoint, call.incoming);
  call.parts = parts;
  if (readsPages(call.endpoint)) call.parts = { ...parts, query: withoutListMark({ ...call, ...parts }) };
}

/** Counts a read against its rate limit. For a change, only creates `save`, which counts the change later. */
export async function applyLimit(call: Call): Promise<void> {
  const { endpoint, incoming, deps, key, limitedBy, parts } = call;
  if (isMutation(endpoint)) {
    const appOf = async (tx: Reader) =>
      needsRole(endpoint) ? appOfRequest(tx, parts.params) : appOfKey(incoming);
    call.saving = createSave(deps, { endpoint, key, limitedBy, appOf, shape: shapeOf(endpoint) });
  } else if (limitedBy) {
    call.giveBack = await spendOnRead(endpoint, limitedBy, deps);
  }
}

/** Applies the changes that are due in the test cycles of the request. */
export async function catchUp({ endpoint, incoming: { caller }, parts, deps }: Call): Promise<void> {
  if (!endpoint.catchesUp) return;
  const { of, by } = endpoint.catchesUp;
  const { params, body } = parts;
  await deps.passingTime.catchUpOf(of, idIn({ caller, params, body }, by));
}

/** Calls the handler, which loads data, decides and saves. */
export async function callHandler(call: Call): Promise<void> {
  const answer = await call.handle(requestOf(call));
  call.answer = readsPages(call.endpoint) ? withListMark(answer, { ...call, ...call.parts }) : answer;
}

const readsPages = ({ query }: Endpoint): boolean => query !== undefined && "cursor" in query.shape;

/** The parts of a request that decide which list it reads. */
interface ReadList {
  readonly endpoint: Pick<Endpoint, "method" | "path">;
  readonly params: unknown;
}

/**
 * Removes the hash of the list from the cursor. Another list's cursor becomes an empty text, which is invalid.
 * (rule H24)
 */
function withoutListMark<Query>(list: ReadList & { readonly query: Query }): Query {
  const cursor = valueAt(list.query, "cursor");
  if (typeof cursor !== "string") return list.query;
  const mark = markOf(list);
  return { ...list.query, cursor: cursor.startsWith(mark) ? cursor.slice(mark.length) : "" };
}

/** Returns the answer with a `nextCursor` that only the same list accepts. (rule H24) */
function withListMark(answer: unknown, list: ReadList): unknown {
  const next = valueAt(answer, "nextCursor");
  return typeof next === "string" ? { ...fieldsOf(answer), nextCursor: markOf(list) + next } : answer;
}

/** Returns a short hash that identifies a list. Lists with different filters have the same hash. */
const markOf = ({ endpoint: { method, path }, params }: ReadList): string =>
  createHash("sha256")
    .update(JSON.stringify([method, path, params ?? null]))
    .digest("base64url")
    .slice(0, 8);

/** Drops undeclared fields from the answer. */
export function shapeAnswer(call: Call): void {
  call.outcome = outcomeOf(call.endpoint, call.answer);
}

/**
 * Handles an error of a step. Returns the stored answer if there is one. Otherwise throws. May store the error.
 * (rule H4)
 */
export async function refuse(call: Call, thrown: unknown): Promise<InvocationResult> {
  const { endpoint, incoming, deps, key, limitedBy } = call;
  if (!call.begun) throw thrown;
  const error = isDangling(thrown) ? goneMeanwhile(endpoint, thrown) : thrown;
  if (key && error instanceof AlreadyAnswered) return replayFor(incoming, key, error.answer, deps);
  if (!(error instanceof ApiError)) throw error;
  if (!errorsOf(endpoint).includes(error.code))
    throw new Error(`${endpoint.path} may not answer ${error.code}`, { cause: error });
  // Another request with the same Idempotency-Key may have succeeded meanwhile. The change by that request may
  // have caused this error.
  const since = key && (await idempotency.find(deps.database, key, deps.clock.now()));
  if (key && since) return replay(key, since);
  if (key && isKeptRefusal(endpoint, error)) await storeRefusal(deps, key, refusalOf(error));
  // Requests that get `busy` also count against the limit of rule T30.
  if (limitedBy && endpoint.rateLimit && endpoint.rateLimitBy && error.code === "busy")
    await deps.limiter.spend({ who: limitedBy, rateLimit: endpoint.rateLimit });
  throw namingLimit(error, endpoint.rateLimit);
}

/** Creates the function that drops undeclared fields of an answer. */
const shapeOf =
  ({ success }: Endpoint) =>
  (answer: unknown) =>
    "body" in success ? success.body.parse(answer) : undefined;

/**
 * Whether repeats are rare, as for reports of apps. For these requests, `replayAnswer` does not look for a
 * stored answer.
 */
const isRarelyRepeated = ({ attempts }: Endpoint, { caller }: IncomingRequest): boolean =>
  caller?.kind === "appKey" && attempts === undefined;

/** Returns the id of the app of the app key. An erasure uses this id to find the stored answer. */
const appOfKey = ({ caller }: IncomingRequest): string | undefined =>
  caller?.kind === "appKey" && "appId" in caller ? String(caller.appId) : undefined;

/** Counts a read against its rate limit. If the count is in memory, returns a function that undoes the counting. */
async function spendOnRead({ rateLimit }: Endpoint, who: string, { limiter }: InvokeDeps): Promise<GiveBack> {
  if (!rateLimit) return nothingUsed;
  if (isInMemory(rateLimit)) return limiter.spendAtOnce({ who, rateLimit });
  await limiter.spend({ who, rateLimit });
  return nothingUsed;
}

const nothingUsed: GiveBack = () => {};

/**
 * Returns the stored answer. Throws `not_found` if the caller has left the app. Throws `forbidden` if the role
 * is too low. Throws `idempotency_mismatch` for other contents. (rule K23)
 */
async function replayFor(
  { caller }: IncomingRequest,
  key: IdempotentRequest,
  kept: FoundAnswer,
  deps: InvokeDeps,
): Promise<InvocationResult> {
  if (
    caller &&
    "needs" in caller &&
    !(await mayStillGet(deps.database, key, { viewer: caller, body: kept.body }))
  )
    throw new ApiError("not_found");
  return replay(key, kept);
}

const readsOnly: Pick<Request, "save" | "saveRow"> = {
  save: () => Promise.reject(new Error("A read must not save anything")),
  saveRow: () => Promise.reject(new Error("A read must not save anything")),
};

/** The error for a request whose app or record was deleted meanwhile. Later requests get the same error. */
const goneMeanwhile = (endpoint: Endpoint, cause: unknown): ApiError =>
  new ApiError(errorsOf(endpoint).includes("not_found") ? "not_found" : "invalid_api_key", {}, { cause });

const nothingGiven = { params: undefined, query: undefined, body: undefined };

/**
 * Parses the parts of a request. Throws `not_found` for a malformed id, and `bad_request` for other faults.
 * (rules H3, H9)
 */
function parse<E extends Endpoint>(endpoint: E, incoming: IncomingRequest) {
  if (!endpoint.params && !endpoint.query && !endpoint.body) return nothingGiven;
  const issues: Issue[] = [];
  const part = (schema: z.ZodMiniObject | undefined, value: unknown, once = false) => {
    if (!schema) return undefined;
    const result = schema.safeParse(value);
    if (!result.success)
      for (const issue of faultsOf(schema, value)) {
        const isRepeated = once && Array.isArray(Object(value)[issue.path]);
        issues.push(isRepeated ? { ...issue, message: "must be given only once" } : issue);
      }
    return result.data;
  };
  const params = part(endpoint.params, incoming.params);
  if (issues.some(({ message }) => message === notUuid)) throw new ApiError("not_found");
  const parts = {
    params,
    query: part(endpoint.query, incoming.query, true),
    body: part(endpoint.body, incoming.body),
  };
  if (issues.length > 0) throw new ApiError("bad_request", { issues: issues.slice(0, limits.namedFaults) });
  return parts;
}

const requestOf = ({ incoming, key, parts, saving: { save, saveRow }, giveBack }: Call): Request => ({
  caller: incoming.caller,
  browser: incoming.browser,
  params: parts.params,
  query: parts.query,
  body: parts.body,
  ifMatch: incoming.ifMatch,
  lastEventId: incoming.lastEventId,
  clockAhead: incoming.clockAhead ?? 0,
  address: incoming.address,
  callerNow: incoming.callerNow,
  signal: incoming.signal,
  repeat: key && { name: nameOf(key), content: key.fingerprint },
  giveBack,
  save,
  saveRow,
  setSession: incoming.setSession,
});

type Identifying = Pick<Request, "caller"> & { readonly params: unknown; readonly body: unknown };

function idIn({ caller, params, body }: Identifying, by: CatchUp["by"]): string {
  if (by === "account") return caller && "userId" in caller ? caller.userId : "";
  const [part, name = ""] = by.split(".");
  return shortTextAt(part === "params" ? params : body, name);
}

function outcomeOf(endpoint: Endpoint, answer: unknown): InvocationResult {
  if (answer === notYet) return { status: 202, body: "{}", replayed: false };
  const { status } = endpoint.success;
  if (isDownload(answer) || isEventStream(answer)) return { status, body: answer, replayed: false };
  if (!("body" in endpoint.success)) return { status, body: undefined, replayed: false };
  if (isPrepared(answer)) return { status, body: answer, replayed: false };
  return { status, body: JSON.stringify(shapeOf(endpoint)(answer)), replayed: false };
}

/**
 * Whether repeats of the request must get this error again. `isPassing` means that the error disappears with
 * time. (rule H13)
 */
const isKeptRefusal = ({ keptRefusals = [] }: ServedEndpoint, { status, code, details }: ApiError): boolean =>
  !details.isPassing &&
  (((status === 409 || status === 422) && !code.startsWith("idempotency_")) || keptRefusals.includes(code));

const refusalOf = (error: ApiError) => ({ status: error.status, body: JSON.stringify(errorBody(error)) });

/** The data of a request that the transaction of its mutation needs. */
interface MutationContext {
  readonly endpoint: Endpoint;
  /** Identifies the request and its repeats; undefined without an Idempotency-Key. */
  readonly key: IdempotentRequest | undefined;
  /** The key under which the rate limit counts the request. Undefined if there is no limit. */
  readonly limitedBy: string | undefined;
  /** Finds the app of the request, before the request changes anything. */
  readonly appOf: (reader: Reader) => Promise<string | undefined>;
  /** Drops undeclared fields from the answer. */
  readonly shape: (answer: unknown) => unknown;
}

type Saving = Pick<Deps, "database" | "clock" | "limiter">;

/**
 * Creates `save` and `saveRow`. One transaction commits the change, the use of the rate limit and the stored answer.
 * (rule H14)
 */
function createSave(deps: Saving, mutation: MutationContext): Pick<Request<Endpoint>, "save" | "saveRow"> {
  const { database, limiter } = deps;
  const { endpoint, key, limitedBy } = mutation;
  const limit = limitedBy ? endpoint.rateLimit : undefined;

  async function save<Answer extends AnswerOf<Endpoint>>(
    work: (tx: Transaction) => Promise<Answer>,
    { repeatableUntil, first, rateLimit, answer: known }: SaveOptions & { readonly answer?: Answer } = {},
  ): Promise<Answer> {
    const using = limiter.mutation();
    const all = async (tx: Transaction) => {
      if (first) await first(tx);
      if (key) {
        const kept = keptUntil(key, repeatableUntil, deps);
        const answer = known === undefined ? undefined : storedAnswer(key, mutation, known);
        await claim(tx, { ...kept, appId: await mutation.appOf(tx) }, { deps, answer });
      }
      const used = rateLimit ? rateLimit() : endpoint.rateLimit;
      if (limitedBy && used) await using.spend(tx, { who: limitedBy, rateLimit: used });
      const answer = await work(tx);
      if (key && known === undefined) await idempotency.store(tx, key, storedAnswer(key, mutation, answer));
      return answer;
    };
    return ending(using, () => database.write(all));
  }

  /** Counts one use of the limit in memory. If `work` fails, undoes the counting. */
  async function spending<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!limit || !limitedBy) return work();
    const giveBack = limiter.spendAtOnce({ who: limitedBy, rateLimit: limit });
    return work().catch((error) => {
      giveBack();
      throw error;
    });
  }

  return {
    save,
    async saveRow(insert, answer) {
      const isFree = !limit || isInMemory(limit);
      if (isFree && !key) await spending(() => insert(database));
      else await save((tx) => insert(tx).then(() => answer), { answer });
      return answer;
    },
  };
}

/** Does the work of a mutation. If the work fails, undoes the use of the rate limit. */
async function ending<Result>(using: MutationUse, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    using.end(true);
    return result;
  } catch (error) {
    using.end(false);
    throw error;
  }
}

/** The options of one call of `save`. */
interface SaveOptions {
  /** The time at which the stored answer expires, in place of the default. */
  readonly repeatableUntil?: Date;
  /**
   * Runs before the Idempotency-Key is checked. If `first` takes a lock, a simultaneous repeat of the request
   * waits.
   */
  readonly first?: (tx: Transaction) => Promise<void>;
  /** Called after `first`. Returns the limit that the request uses in place of the endpoint's limit. */
  readonly rateLimit?: () => RateLimitName;
}

function keptUntil(
  key: IdempotentRequest,
  until: Date | undefined,
  { clock }: Pick<Deps, "clock">,
): IdempotentRequest {
  if (until === undefined) return key;
  return { ...key, lifetimeSeconds: Math.max(0, (until.getTime() - clock.now().getTime()) / 1_000) };
}

/** Stores an error that repeats of the request must get again. The request has no other effect. */
async function storeRefusal(deps: Saving, key: IdempotencyKey, answer: StoredAnswer): Promise<void> {
  await deps.database.write((tx) => idempotency.claim(tx, key, deps.clock.now(), answer));
}

async function claim(
  tx: Transaction,
  key: IdempotencyKey,
  { deps, answer }: { readonly deps: Pick<Deps, "clock">; readonly answer: StoredAnswer | undefined },
): Promise<void> {
  const now = deps.clock.now();
  const claimed = await idempotency.claim(tx, key, now, answer);
  if (claimed === "claimed") return;
  const kept = claimed === "stored" && (await idempotency.find(tx, key, now));
  if (!kept) throw inProgress();
  throw new AlreadyAnswered(kept);
}

function storedAnswer(
  { sealer }: IdempotentRequest,
  { endpoint, shape }: MutationContext,
  answer: unknown,
): StoredAnswer {
  const body = "body" in endpoint.success ? JSON.stringify(shape(answer)) : "";
  return { status: endpoint.success.status, body: sealer ? sealer.seal(body) : body };
}

/** A request with an Idempotency-Key. The sealer encrypts stored answers that contain a secret. */
interface IdempotentRequest extends IdempotencyKey {
  readonly sealer: Pick<Sealer, "seal" | "open"> | undefined;
}

/**
 * Identifies a request with an Idempotency-Key. Returns undefined without a key or a sender. (rules H10, H15)
 */
function idempotentRequestOf(
  endpoint: ServedEndpoint,
  incoming: IncomingRequest,
  deps: Pick<Deps, "sealer" | "time">,
): IdempotentRequest | undefined {
  const { body, query } = incoming;
  const { sealer } = deps;
  const known = knownKeyOf(endpoint, incoming, deps);
  if (known === undefined) return undefined;
  const fingerprint = fingerprintOf({ body: body ?? null, query: query ?? null });
  return {
    ...known,
    fingerprint: incoming.caller === undefined ? sealer.mark(fingerprint) : fingerprint,
    ...(endpoint.repeatableSeconds === undefined ? {} : { lifetimeSeconds: endpoint.repeatableSeconds }),
    sealer: endpoint.answersSecret ? sealerOf(endpoint, incoming, sealer) : undefined,
  };
}

/**
 * Returns the SHA-256 of `value` in hex. A JSON body and a form with equal values have the same hash.
 * (rule H30)
 */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(value)) ?? "")
    .digest("hex");
}

// A file becomes a list, and an object becomes `{ entries }`. An object can never equal a file.
function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  if (isReceivedFile(value)) return ["file", value.sha256, value.declaredType, value.name];
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return { entries: entries.sort(byKey).map(([key, child]) => [key, canonical(child)]) };
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

type Keyed = Pick<IncomingRequest, "caller" | "path" | "body" | "idempotencyKey">;

/**
 * Whether a request with this Idempotency-Key was answered. Does not compare the contents, because the body has
 * not arrived.
 */
export async function isAnswered(
  endpoint: Endpoint,
  incoming: Omit<Keyed, "body">,
  deps: Pick<Deps, "clock" | "database" | "sealer" | "time">,
): Promise<boolean> {
  const known = knownKeyOf(endpoint, { ...incoming, body: undefined }, deps);
  return (
    known !== undefined && (await idempotency.find(deps.database, known, deps.clock.now())) !== undefined
  );
}

function knownKeyOf(
  endpoint: Endpoint,
  incoming: Keyed,
  { sealer, time }: Pick<Deps, "sealer" | "time">,
): KnownKey | undefined {
  const { idempotencyKey: key, path } = incoming;
  const whose = key === undefined ? undefined : senderPartsOf(endpoint, incoming, sealer);
  if (key === undefined || whose === undefined) return undefined;
  const known = { scope: scopeOf(whose, endpoint.method, path), key };
  return time.isDoubtful() ? { ...known, inDoubt: { behindMs: time.behindMs() } } : known;
}

/**
 * An Idempotency-Key is unique in a scope. The scope is an app, a route, and a hash of `repeatableBy` fields.
 */
export const scopeOfField = (appId: string, fieldHash: string, { method, path }: Endpoint): string =>
  scopeOf(["app", appId, fieldHash], method, path);

/** Returns the stored answer. Throws `idempotency_mismatch` if the earlier request had another content. (rule H11) */
function replay({ fingerprint, sealer }: IdempotentRequest, kept: FoundAnswer): InvocationResult {
  if (kept.fingerprint !== fingerprint) throw new ApiError("idempotency_mismatch");
  // Older servers stored some answers as JSON. An encrypted text never begins with a brace.
  const sealed = sealer !== undefined && kept.status < 300 && !kept.body.startsWith("{");
  return {
    status: kept.status,
    body: (sealed ? sealer.open(kept.body) : kept.body) || undefined,
    replayed: true,
  };
}

/**
 * Returns the sealer that encrypts the stored answer. Without a credential, decryption also needs secret fields
 * of the request.
 */
function sealerOf(
  { repeatableBy, sealedBy = [] }: ServedEndpoint,
  { caller, body }: IncomingRequest,
  sealer: Sealer,
): Pick<Sealer, "seal" | "open"> {
  if (repeatableBy === undefined || caller !== undefined) return sealer;
  const own = createSealer([...repeatableBy, ...sealedBy].map((name) => shortTextAt(body, name)).join("\n"));
  return {
    seal: (text) => sealer.seal(own.seal(text)),
    open: (sealed) => own.open(sealer.open(sealed)),
  };
}

/**
 * Returns the texts that identify the sender. Uses a keyed hash, because a plain hash makes passwords easy to
 * guess.
 */
function senderPartsOf(
  { repeatableBy }: Endpoint,
  { caller, body }: Pick<IncomingRequest, "caller" | "body">,
  { mark }: Sealer,
): string[] | undefined {
  if (repeatableBy === undefined) return caller && [caller.kind, caller.id];
  const fields = repeatableBy.map((name) => shortTextAt(body, name));
  if (fields.includes("")) return undefined;
  return [
    ...(caller && "appId" in caller ? ["app", String(caller.appId)] : []),
    ...fields.map(caller === undefined ? mark : hashOf),
  ];
}

const inProgress = (): ApiError => new ApiError("idempotency_in_progress", { retryAfterSeconds: 1 });

/**
 * Thrown when another request with the same Idempotency-Key was answered meanwhile. This request gets the same answer.
 */
class AlreadyAnswered extends Error {
  readonly answer: FoundAnswer;

  constructor(answer: FoundAnswer) {
    super("This request was already answered");
    this.name = "AlreadyAnswered";
    this.answer = answer;
  }
}
