import { createHash } from "node:crypto";
import type * as z from "zod/mini";
import { type Endpoint, errorsOf, isMutation, needsRole } from "../../src/contract/endpoint.ts";
import { ApiError, faultsOf, type Issue, notUuid } from "../../src/contract/errors.ts";
import { fieldsOf, valueAt } from "../../src/contract/json.ts";
import { limits } from "../../src/contract/limits.ts";
import type { Reader } from "../database/database.ts";
import { isDangling } from "../database/errors.ts";
import type { Deps } from "../deps.ts";
import { isDownload, isEventStream, isPrepared } from "./answers.ts";
import { asAsked, requireScope } from "./authenticate.ts";
import { errorBody } from "./errors.ts";
import {
  type CatchUp,
  fieldOf,
  type IncomingRequest,
  type InvocationResult,
  notYet,
  type Request,
  type ServedEndpoint,
} from "./handler.ts";
import {
  AlreadyAnswered,
  createSave,
  type IdempotentRequest,
  idempotentRequestOf,
  replay,
  storeRefusal,
} from "./idempotency.ts";
import { appOfRequest, type FoundAnswer, idempotency, mayStillGet, nameOf } from "./idempotency-store.ts";
import { countAttempt, isInMemory, limitedByOf, namingLimit } from "./rate-limits/rate-limits.ts";
import type { GiveBack } from "./rate-limits/store.ts";

export type InvokeDeps = Pick<
  Deps,
  "clock" | "database" | "limiter" | "passingTime" | "sealer" | "settings" | "time"
>;

/**
 * The state of one call of an endpoint. The steps run one after the other, and each step reads the fields that earlier
 * steps have set.
 */
export interface Call {
  readonly endpoint: ServedEndpoint;
  readonly handle: (request: Request) => Promise<unknown>;
  readonly deps: InvokeDeps;
  incoming: IncomingRequest;
  key: IdempotentRequest | undefined;
  /** The key under which the rate limit counts the call. Undefined if there is no limit. */
  limitedBy: string | undefined;
  /**
   * Whether the steps before `countAttempts` have succeeded. From then on, the call may only fail with errors that
   * the endpoint declares. Only these errors can be stored for repeats.
   */
  begun: boolean;
  parts: ReturnType<typeof parse>;
  saving: Pick<Request, "save" | "saveRow">;
  giveBack: GiveBack;
  answer: unknown;
  /** The result of the call. The first step that sets it ends the call. */
  outcome: InvocationResult | undefined;
}

/**
 * Creates the state of a call before its first step. The code names each field, because an object spread would make a
 * read request 5 % slower.
 */
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
 * Throws `insufficient_scope` if the credential does not have the scope of the endpoint. Also sets the role
 * that the endpoint requires of the caller.
 */
export function checkScope(call: Call): void {
  requireScope(call.endpoint, call.incoming);
  call.incoming = { ...call.incoming, caller: asAsked(call.endpoint, call.incoming.caller) };
}

/** Answers a repeat of a request with the stored answer. Counts an attempt if the repeat has another secret. */
export async function replayAnswer(call: Call): Promise<void> {
  const { endpoint, incoming, deps } = call;
  const key = idempotentRequestOf(endpoint, incoming, deps);
  if (!key) return;
  call.key = key;
  if (isRarelyRepeated(endpoint, incoming)) return;
  const kept = await idempotency.find(deps.database, key, deps.clock.now());
  if (!kept) return;
  // A request with the same key but another secret counts as an attempt, because its sender may be guessing the secret.
  if (endpoint.sealedBy && kept.fingerprint !== key.fingerprint) await countAttempt(endpoint, incoming, deps);
  call.outcome = await replayFor(incoming, key, kept, deps);
}

/** Marks the call as begun, and counts an attempt to guess a secret. Throws `rate_limited`. */
export async function countAttempts(call: Call): Promise<void> {
  const { endpoint, incoming, deps } = call;
  call.limitedBy = limitedByOf(endpoint, incoming, deps);
  call.begun = true;
  if (endpoint.attempts) await countAttempt(endpoint, incoming, deps);
}

/**
 * Parses the parts of the request. Throws `not_found` for a malformed id, and `bad_request` with the first
 * faults of query and body.
 */
export function checkShape(call: Call): void {
  const parts = parse(call.endpoint, call.incoming);
  call.parts = parts;
  if (readsPages(call.endpoint)) call.parts = { ...parts, query: withoutListMark({ ...call, ...parts }) };
}

/**
 * Applies the rate limit. A read is counted now. For a change, this step only prepares `save`, whose transaction counts
 * the use and claims the Idempotency-Key.
 */
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
 * Returns the query with the cursor as the handler wrote it. A cursor of another list becomes empty. The handler refuses
 * an empty cursor. (rule H24)
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

/**
 * Returns a short hash of a list. Filters are not part of it: a program may follow a cursor without its filters, and
 * then gets the rest of the whole list.
 */
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
 * Handles an error of a step. If another request with the same key was answered in the meantime, returns the
 * stored answer. Otherwise throws the error, and stores it if repeats must get it again. An error that the
 * endpoint does not declare becomes an internal error. (rule H4)
 */
export async function refuse(call: Call, thrown: unknown): Promise<InvocationResult> {
  const { endpoint, incoming, deps, key, limitedBy } = call;
  if (!call.begun) throw thrown;
  const error = isDangling(thrown) ? goneMeanwhile(endpoint, thrown) : thrown;
  if (key && error instanceof AlreadyAnswered) return replayFor(incoming, key, error.answer, deps);
  if (!(error instanceof ApiError)) throw error;
  if (!errorsOf(endpoint).includes(error.code))
    throw new Error(`${endpoint.path} may not answer ${error.code}`, { cause: error });
  // Another request with the same key may have succeeded in the meantime. Its change may have caused this error.
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
 * Whether repeats of the request are rare. For example, apps send many reports, but rarely repeat one. The server
 * then looks for a stored answer only when it claims the key, or after a refusal.
 */
const isRarelyRepeated = ({ attempts }: Endpoint, { caller }: IncomingRequest): boolean =>
  caller?.kind === "appKey" && attempts === undefined;

/** Returns the app of the app key. The stored answer is linked to this app, so that an erasure in the app finds it. */
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
 * Returns the stored answer to a repeat. Throws `not_found` if the person is no longer a member of the app,
 * `forbidden` if the person's role has too few rights now, and `idempotency_mismatch` if the content differs.
 * (rule K23)
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

/**
 * Returns the error for a request whose app or record was deleted while the request ran. A request that begins after
 * the deletion gets the same error.
 */
const goneMeanwhile = (endpoint: Endpoint, cause: unknown): ApiError =>
  new ApiError(errorsOf(endpoint).includes("not_found") ? "not_found" : "invalid_api_key", {}, { cause });

const nothingGiven = { params: undefined, query: undefined, body: undefined };

/**
 * Parses the path parameters, the query and the body. Throws `not_found` for a malformed id, and `bad_request`
 * with the first faults of query and body. (rules H3, H9)
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
  return fieldOf(part === "params" ? params : body, name);
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
 * Whether a repeat of the request must get this error again. This is true if the state of the data caused the
 * refusal, and if that state does not change only because time passes. (rule H13)
 */
const isKeptRefusal = ({ keptRefusals = [] }: ServedEndpoint, { status, code, details }: ApiError): boolean =>
  !details.isPassing &&
  (((status === 409 || status === 422) && !code.startsWith("idempotency_")) || keptRefusals.includes(code));

const refusalOf = (error: ApiError) => ({ status: error.status, body: JSON.stringify(errorBody(error)) });
