import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import type { Transaction } from "../../store/engine/database.ts";
import {
  type FoundAnswer,
  type IdempotencyKey,
  idempotency,
  type StoredAnswer,
} from "../../store/requests/idempotency.ts";
import type { AnswerOf, Request } from "../handler.ts";
import { spendRateLimit } from "../request-limits.ts";
import type { IdempotentRequest } from "./idempotent-request.ts";

/** The parts of one mutation that its transaction needs. */
export interface MutationContext {
  readonly endpoint: Endpoint;
  /** The identity of the request; undefined without an Idempotency-Key. */
  readonly key: IdempotentRequest | undefined;
  /** The key of the rate limit that the request uses up; undefined without a limit. */
  readonly limitedBy: string | undefined;
  /** Finds the app that the request is about, before it changes anything. */
  readonly appOf: (reader: Transaction) => Promise<string | undefined>;
  /** Drops undeclared fields from the answer. */
  readonly shape: (answer: unknown) => unknown;
}

type Saving = Pick<Deps, "database" | "clock" | "settings">;

/** The `save` and `saveRow` of a request: effect, rate limit and stored answer commit together or not at all. */
export function createSave(
  deps: Saving,
  mutation: MutationContext,
): Pick<Request<Endpoint>, "save" | "saveRow"> {
  const save = <Answer extends AnswerOf<Endpoint>>(
    work: (tx: Transaction) => Promise<Answer>,
    { repeatableUntil, first, rateLimit }: SaveOptions = {},
  ) =>
    deps.database.write(async (tx) => {
      if (first) await first(tx);
      if (mutation.key) {
        const kept = keptUntil(mutation.key, repeatableUntil, deps);
        await claim(tx, { ...kept, appId: await mutation.appOf(tx) }, deps);
      }
      const limit = rateLimit ? rateLimit() : mutation.endpoint.rateLimit;
      if (mutation.limitedBy) await spendRateLimit(deps, tx, { who: mutation.limitedBy, rateLimit: limit });
      const answer = await work(tx);
      if (mutation.key)
        await idempotency.store(tx, mutation.key, storedAnswer(mutation.key, mutation, answer));
      return answer;
    });
  return {
    save,
    async saveRow(insert, answer) {
      if (mutation.key || mutation.limitedBy) {
        return save(async (tx) => {
          await insert(tx);
          return answer;
        });
      }
      await insert(deps.database);
      return answer;
    },
  };
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
  if (!answer) throw new ApiError("idempotency_in_progress", { retryAfterSeconds: 1 });
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

/** Thrown when another request with the same idempotency key has just been answered: this request gets the same answer. */
export class AlreadyAnswered extends Error {
  readonly answer: FoundAnswer;

  constructor(answer: FoundAnswer) {
    super("This request was already answered");
    this.name = "AlreadyAnswered";
    this.answer = answer;
  }
}
