import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { RateLimitName } from "../../src/contract/limits.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { AlreadyAnswered, inProgress } from "./answered.ts";
import type { AnswerOf, Request } from "./handler.ts";
import type { IdempotentRequest } from "./idempotency.ts";
import { type IdempotencyKey, idempotency, type StoredAnswer } from "./idempotency-store.ts";
import type { MutationUse } from "./rate-limits/limiter.ts";
import { isInMemory } from "./rate-limits/rate-limits.ts";

/** The parts of one mutation that its transaction needs. */
export interface MutationContext {
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
    { repeatableUntil, first, rateLimit }: SaveOptions = {},
  ): Promise<Answer> {
    const using = limiter.mutation();
    const all = async (tx: Transaction) => {
      if (first) await first(tx);
      if (key) {
        const kept = keptUntil(key, repeatableUntil, deps);
        await claim(tx, { ...kept, appId: await mutation.appOf(tx) }, deps);
      }
      const used = rateLimit ? rateLimit() : endpoint.rateLimit;
      if (limitedBy && used) await using.spend(tx, { who: limitedBy, rateLimit: used });
      const answer = await work(tx);
      if (key) await idempotency.store(tx, key, storedAnswer(key, mutation, answer));
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
      else await save((tx) => insert(tx).then(() => answer));
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
export interface SaveOptions {
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
  await deps.database.write(async (tx) => {
    const claimed = await idempotency.claim(tx, key, deps.clock.now());
    if (claimed === "claimed") await idempotency.store(tx, key, answer);
  });
}

async function claim(tx: Transaction, key: IdempotencyKey, { clock }: Pick<Deps, "clock">): Promise<void> {
  const now = clock.now();
  const claimed = await idempotency.claim(tx, key, now);
  if (claimed === "claimed") return;
  const answer = claimed === "stored" && (await idempotency.find(tx, key, now));
  if (!answer) throw inProgress();
  throw new AlreadyAnswered(answer);
}

function storedAnswer(
  { sealer }: IdempotentRequest,
  { endpoint, shape }: MutationContext,
  answer: unknown,
): StoredAnswer {
  const body = "body" in endpoint.success ? JSON.stringify(shape(answer)) : "";
  return { status: endpoint.success.status, body: sealer ? sealer.seal(body) : body };
}
