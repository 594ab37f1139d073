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
} from "./handler.ts";
import {
  type FoundAnswer,
  type IdempotencyKey,
  idempotency,
  type KnownKey,
  type StoredAnswer,
  scopeOf,
} from "./idempotency-store.ts";
import type { MutationUse } from "./rate-limits/limiter.ts";
import { isInMemory } from "./rate-limits/rate-limits.ts";

/** The parts of one mutation that its transaction needs. */
interface MutationContext {
  readonly endpoint: Endpoint;
  /** The identity of the request; undefined without an Idempotency-Key. */
  readonly key: IdempotentRequest | undefined;
  /** The key of the rate limit that the request uses up; undefined without a limit. */
  readonly limitedBy: string | undefined;
  /** Finds the app that the request is about, before it changes anything. */
  readonly appOf: (reader: Reader) => Promise<string | undefined>;
  /** Drops undeclared fields from the answer. */
  readonly shape: (answer: unknown) => unknown;
}

type Saving = Pick<Deps, "database" | "clock" | "limiter">;

/** The `save` and `saveRow` of a request: effect, rate limit and stored answer commit together or not at all. */
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

  /** Uses up a limit that is counted in memory, and gives the use back if the work fails. */
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

/** Does the work of a mutation. If it fails, what the mutation has used of its limit is given back. */
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

/** How one save differs from others. */
interface SaveOptions {
  /** When the stored answer expires at the latest. */
  readonly repeatableUntil?: Date;
  /**
   * Done before the Idempotency-Key is checked, so that a second request with the same key waits here for the first.
   */
  readonly first?: (tx: Transaction) => Promise<void>;
  /** Called after `first`: the limit that the request uses up instead of the endpoint's own. */
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

/** Stores a refusal that a repeat of the request must get again. The request has no other effect. */
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

/** A request with an Idempotency-Key, and what seals its stored answer if that holds a secret. */
export interface IdempotentRequest extends IdempotencyKey {
  readonly sealer: Pick<Sealer, "seal" | "open"> | undefined;
}

/**
 * The identity of a request with an Idempotency-Key. Undefined without a key, and if neither a credential nor a field of
 * the body identifies its sender. If fields of the body identify the sender, only a request with the same fields gets
 * the stored answer, which is sealed with them. (rule H15)
 */
export function idempotentRequestOf(
  endpoint: Endpoint,
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
 * SHA-256, in hex, of the content of a request. It is the same for JSON values that differ only in the order of keys,
 * and for bodies whose files have the same bytes, declared types and names, as JSON or as a form.
 */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(value)) ?? "")
    .digest("hex");
}

// Objects become lists of pairs, so that no object can look like the stand-in for a file.
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
 * Whether a request with this Idempotency-Key was answered already, as far as this can be known before its body has
 * arrived.
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
 * The scope of all requests to an endpoint that have a given value in a field of the body, with any app key of the app. The
 * value is given as its hash.
 */
export const scopeOfField = (appId: string, fieldHash: string, { method, path }: Endpoint): string =>
  scopeOf(["app", appId, fieldHash], method, path);

/**
 * Returns the stored answer to a repeat. Throws `idempotency_mismatch` if the idempotency key was used for another
 * request.
 */
export function replay({ fingerprint, sealer }: IdempotentRequest, kept: FoundAnswer): InvocationResult {
  if (kept.fingerprint !== fingerprint) throw new ApiError("idempotency_mismatch");
  // An older server has stored answers of some endpoints as JSON, which no sealed text looks like.
  const sealed = sealer !== undefined && kept.status < 300 && !kept.body.startsWith("{");
  return {
    status: kept.status,
    body: (sealed ? sealer.open(kept.body) : kept.body) || undefined,
    replayed: true,
  };
}

/**
 * An answer to a request without a credential is also sealed with the fields that the sender knows: a person who has the
 * database and the deployment's secret still cannot read a token.
 */
function sealerOf(
  { repeatableBy, sealedBy = [] }: Endpoint,
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

/** Without a credential the fields may be a password. A plain hash of one would allow guessing. */
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

/** Thrown when another request with the same idempotency key has just been answered: this request gets the same answer. */
export class AlreadyAnswered extends Error {
  readonly answer: FoundAnswer;

  constructor(answer: FoundAnswer) {
    super("This request was already answered");
    this.name = "AlreadyAnswered";
    this.answer = answer;
  }
}
