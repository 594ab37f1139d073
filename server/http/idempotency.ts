import { createHash } from "node:crypto";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { isReceivedFile } from "../../src/contract/files.ts";
import type { RateLimitName } from "../../src/contract/limits.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { createSealer, hashOf, type Sealer } from "../secrets/secrets.ts";
import {
  type AnswerOf,
  fieldOf,
  type IncomingRequest,
  type InvocationResult,
  type Request,
  type ServedEndpoint,
} from "./handler.ts";
import {
  type FoundAnswer,
  type IdempotencyKey,
  idempotency,
  type KnownKey,
  type StoredAnswer,
  scopeOf,
} from "./idempotency-store.ts";
import { isInMemory } from "./rate-limits/rate-limits.ts";
import type { MutationUse } from "./rate-limits/store.ts";

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
 * Creates `save` and `saveRow` of a request. The change, the use of the rate limit and the stored answer are committed
 * together, or none of them is committed. (rule H14)
 */
export function createSave(
  deps: Saving,
  mutation: MutationContext,
): Pick<Request<Endpoint>, "save" | "saveRow"> {
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

  /** Counts a use of a limit in memory, and undoes that if the work fails. */
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
  /** The latest time at which the stored answer expires. */
  readonly repeatableUntil?: Date;
  /**
   * Runs before the Idempotency-Key is checked. A second request with the same key can wait in it for the first
   * request.
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
export async function storeRefusal(deps: Saving, key: IdempotencyKey, answer: StoredAnswer): Promise<void> {
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
export interface IdempotentRequest extends IdempotencyKey {
  readonly sealer: Pick<Sealer, "seal" | "open"> | undefined;
}

/**
 * Identifies a request with an Idempotency-Key. Returns undefined if the request has no key, or if nothing
 * identifies its sender. The sender is identified by a credential, or by fields of the body. If fields identify
 * the sender and the answer contains a secret, the stored answer is encrypted with these fields, so that only a
 * request with the same fields gets the answer. (rules H10, H15)
 */
export function idempotentRequestOf(
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
 * Returns the SHA-256 of the content of a request, in hex. The order of keys in JSON does not change the hash. A JSON
 * body and a form have the same hash if they have equal fields, and files with the same bytes, declared types and
 * names. (rule H30)
 */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(value)) ?? "")
    .digest("hex");
}

// Objects become lists of pairs, so that no object can look like the list that replaces a file.
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
 * Whether a request with this Idempotency-Key was already answered. The body has not arrived yet, so the contents are
 * not compared.
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
 * Returns the scope of the requests to an endpoint that have the same value in the field `repeatableBy`. All keys of an
 * app share this scope. `fieldHash` is the hash of the value.
 */
export const scopeOfField = (appId: string, fieldHash: string, { method, path }: Endpoint): string =>
  scopeOf(["app", appId, fieldHash], method, path);

/**
 * Returns the stored answer to a repeat. Throws `idempotency_mismatch` if an earlier request with another content has
 * used the key. (rule H11)
 */
export function replay({ fingerprint, sealer }: IdempotentRequest, kept: FoundAnswer): InvocationResult {
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
 * Returns the sealer of the stored answer. Without a credential, the answer is also encrypted with the secret fields of
 * the request. So even somebody who has the database and the secret of the deployment cannot read a token in the
 * answer.
 */
function sealerOf(
  { repeatableBy, sealedBy = [] }: ServedEndpoint,
  { caller, body }: IncomingRequest,
  sealer: Sealer,
): Pick<Sealer, "seal" | "open"> {
  if (repeatableBy === undefined || caller !== undefined) return sealer;
  const own = createSealer([...repeatableBy, ...sealedBy].map((name) => fieldOf(body, name)).join("\n"));
  return {
    seal: (text) => sealer.seal(own.seal(text)),
    open: (sealed) => own.open(sealer.open(sealed)),
  };
}

/**
 * Returns the texts that identify the sender of a request. If the request has no credential, the fields may contain a
 * password. With a plain hash the password would be easy to guess, so the fields are hashed with a key.
 */
function senderPartsOf(
  { repeatableBy }: Endpoint,
  { caller, body }: Pick<IncomingRequest, "caller" | "body">,
  { mark }: Sealer,
): string[] | undefined {
  if (repeatableBy === undefined) return caller && [caller.kind, caller.id];
  const fields = repeatableBy.map((name) => fieldOf(body, name));
  if (fields.includes("")) return undefined;
  return [
    ...(caller && "appId" in caller ? ["app", String(caller.appId)] : []),
    ...fields.map(caller === undefined ? mark : hashOf),
  ];
}

const inProgress = (): ApiError => new ApiError("idempotency_in_progress", { retryAfterSeconds: 1 });

/**
 * Thrown when another request with the same Idempotency-Key has just been answered. This request then gets the same
 * answer.
 */
export class AlreadyAnswered extends Error {
  readonly answer: FoundAnswer;

  constructor(answer: FoundAnswer) {
    super("This request was already answered");
    this.name = "AlreadyAnswered";
    this.answer = answer;
  }
}
