import { LRUCache } from "lru-cache";
import type { AttemptLimit, Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits, type RateLimitName } from "../../../src/contract/limits.ts";
import type { Clock } from "../../clock.ts";
import type { Database, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import { fieldOf, type IncomingRequest } from "../handler.ts";
import { networkOf, type Sender } from "../network-addresses.ts";
import {
  consume,
  type GiveBack,
  type Limiter,
  type MutationUse,
  peek,
  type RateVerdict,
  type Spending,
} from "./store.ts";
import {
  bytesOf,
  createUseLog,
  giveUseBack,
  lookAtUses,
  takeUse,
  type UseLog,
  type UseVerdict,
} from "./use-log.ts";

/**
 * The limits that each server counts in its own memory. Most of these have short windows, protect no secret, limit no
 * mails and do not count by network address. Only reads of agents have a long window. The two limits on refusals
 * protect the time of one process: a row for each request would cost more than the refusal. All other limits are rows
 * in the database, so that they are exact on all servers together. (rule H16)
 */
const inMemory: ReadonlySet<RateLimitName> = new Set<RateLimitName>([
  ...(["feedback", "feedbackRepeats", "faqWrites", "agentReads", "drafts"] as const),
  ...(["refusedBodiesByAddress", "refusedByCredential"] as const),
]);

export const isInMemory = (name: RateLimitName): boolean => inMemory.has(name);

export function createLimiter(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: Pick<Settings, "rateLimits">;
}): Limiter {
  const { database, clock, settings } = deps;
  const memory = createUsesInMemory(deps, mostBytes.uses);
  const limitedUse = ({ who, rateLimit }: Spending) => ({
    key: `${rateLimit}:${who}`,
    rule: settings.rateLimits[rateLimit],
    clock,
  });

  async function spendInside(tx: Transaction, spending: Spending): Promise<GiveBack | undefined> {
    if (isInMemory(spending.rateLimit)) return memory.take(spending);
    assertAllowed(await consume(tx, limitedUse(spending)));
    return undefined;
  }

  return {
    forget: memory.forget,
    mutation: () => mutationUse(spendInside),
    spendAtOnce: memory.take,

    async spend(spending) {
      if (isInMemory(spending.rateLimit)) memory.take(spending);
      else assertAllowed(await database.write((tx) => consume(tx, limitedUse(spending))));
    },

    look: async (spending) =>
      isInMemory(spending.rateLimit) ? memory.look(spending) : peek(database, limitedUse(spending)),
  };
}

/** The counts in memory take at most 16 MB: 12 MB for uses of credentials and 4 MB for refused requests. */
const mostBytes = { uses: 12_000_000, refusals: 4_000_000 } as const;

function mutationUse(
  spendInside: (tx: Transaction, spending: Spending) => Promise<GiveBack | undefined>,
): MutationUse {
  let giveBack: GiveBack | undefined;
  return {
    async spend(tx, spending) {
      giveBack?.();
      giveBack = undefined;
      giveBack = await spendInside(tx, spending);
    },
    end(hasCommitted) {
      if (!hasCommitted) giveBack?.();
    },
  };
}

const refused = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }): ApiError =>
  new ApiError("rate_limited", { retryAfterSeconds });

function assertAllowed(verdict: RateVerdict): void {
  if (!verdict.allowed) throw refused(verdict);
}

type Caller = IncomingRequest["caller"];

export type Limiting = Pick<Deps, "database" | "clock" | "settings" | "limiter">;

/**
 * Refuses a caller that has used up its limits, before the body is read. Counts nothing. Throws `rate_limited` if all
 * limits of the endpoint are used up, or if one that counts by account is used up.
 */
export async function refuseLimited(
  endpoint: Endpoint,
  caller: NonNullable<Caller>,
  deps: Limiting,
): Promise<void> {
  if (!deps.settings.rateLimited) return;
  await refuseWithoutRoom(endpoint, caller.id, deps);
  for (const { limit, key } of accountLimitsOf(endpoint, caller)) {
    const rule = deps.settings.rateLimits[limit];
    assertAllowed(await peek(deps.database, { key, rule, clock: deps.clock }));
  }
}

async function refuseWithoutRoom(
  { rateLimit, otherRateLimit }: Endpoint,
  callerId: string,
  { limiter }: Limiting,
): Promise<void> {
  if (!rateLimit) return;
  let retryAfterSeconds = Number.POSITIVE_INFINITY;
  for (const limit of otherRateLimit ? [rateLimit, otherRateLimit] : [rateLimit]) {
    const verdict = await limiter.look({ who: callerId, rateLimit: limit });
    if (verdict.allowed) return;
    retryAfterSeconds = Math.min(retryAfterSeconds, verdict.retryAfterSeconds);
  }
  throw refused({ retryAfterSeconds });
}

/**
 * Counts an attempt before anything else of the request is checked. The attempt stays counted, whatever its result is.
 * Throws `rate_limited` without counting if the limit is used up.
 */
export async function countAttempt(
  endpoint: Endpoint,
  incoming: IncomingRequest,
  deps: Limiting,
): Promise<void> {
  const attempts = endpoint.attempts ?? [];
  if (attempts.length === 0 || !deps.settings.rateLimited) return;
  await deps.database.write(async (tx) => {
    for (const attempt of attempts) {
      const rule = deps.settings.rateLimits[attempt.limit];
      assertAllowed(await consume(tx, { key: keyOf(attempt, incoming), rule, clock: deps.clock }));
    }
  });
}

/** Returns the limits of an endpoint that count by account, with the keys under which they are counted. */
export function accountLimitsOf({ attempts = [] }: Endpoint, caller: Caller) {
  return attempts
    .filter(({ by }) => by.every((whose) => whose === "account"))
    .map((attempt) => ({
      limit: attempt.limit,
      key: keyOf(attempt, { caller, address: "", body: undefined }),
    }));
}

type Identifying = Pick<IncomingRequest, "caller" | "address" | "body">;

const keyOf = ({ limit, by }: AttemptLimit, incoming: Identifying): string =>
  `${limit}:${hashOf(JSON.stringify(by.map((whose) => partOf(whose, incoming))))}`;

function partOf(whose: AttemptLimit["by"][number], { caller, address, body }: Identifying): string {
  if (whose === "address") return networkOf(address);
  if (whose === "account") return caller && "userId" in caller ? caller.userId : "";
  // An id in capitals is the same id, so it must count against the same limit.
  return fieldOf(body, whose.slice("body.".length)).toLowerCase();
}

/**
 * Returns the key of the rate limit that a request uses. Undefined if it has no limit or if limits are switched off.
 */
export function limitedByOf(
  endpoint: Endpoint,
  { caller, body }: IncomingRequest,
  { settings }: Pick<Deps, "settings">,
): string | undefined {
  if (!endpoint.rateLimit) return undefined;
  // The limit of rule T30 can be switched off only on a development server.
  if (endpoint.rateLimitBy && (settings.rateLimited || !settings.dev))
    return hashOf(fieldOf(body, endpoint.rateLimitBy));
  return settings.rateLimited ? caller?.id : undefined;
}

/**
 * Counts a request without a credential. A request over the limit only reads the database, so that very many of them do
 * not make other requests wait for the writer. Throws `rate_limited` with the seconds to wait.
 */
export async function spendAsStranger(
  { clock, database, settings }: Pick<Deps, "clock" | "database" | "settings">,
  { who, rateLimit }: Spending,
): Promise<void> {
  const use = { key: `${rateLimit}:${who}`, rule: settings.rateLimits[rateLimit], clock };
  assertAllowed(await peek(database, use));
  assertAllowed(await database.write((tx) => consume(tx, use)));
}

/**
 * Begins to count a request of `sender`. `announced` is the length of its body, if its headers name one. Throws
 * `rate_limited`.
 */
export type CountBody = (sender: Sender, announced?: number) => Judged;

/** Call one of these functions when it is known whether the request was refused. */
interface Judged {
  passed(): void;
  /** Call it with the status of the answer. Throws `rate_limited` over the limit of a credential. */
  refused(status: number): void;
}

/**
 * The limits on requests that are refused before the limits of their endpoint apply. (rule H18) They are counted only
 * in memory, because they protect the time of this process, and a write to the database would cost more than the
 * refusal.
 *
 * A request without a credential counts when it begins, so that many simultaneous requests are counted in time. With a
 * credential only refusals count, and they count by credential and network together: many devices share an app key, and
 * one broken device must not stop the others. Many devices also share an address. So over the limit, the server still
 * reads small bodies, and only refused requests get the status 429.
 */
export function createCountBody(deps: Pick<Deps, "clock" | "settings">): CountBody {
  const memory = createUsesInMemory(deps, mostBytes.refusals);
  return ({ id, anonymous, network }, announced = Number.POSITIVE_INFINITY) => {
    if (!deps.settings.rateLimited) return uncounted;
    if (anonymous) {
      const giveBack = memory.take({ who: id, rateLimit: "refusedBodiesByAddress" });
      return { passed: giveBack, refused() {} };
    }
    const spending = { who: `${id} ${network}`, rateLimit: "refusedByCredential" } as const;
    if (announced > limits.anonymousBody) assertAllowed(memory.look(spending));
    return {
      passed() {},
      refused(status) {
        if (countedStatuses.includes(status)) memory.take(spending);
      },
    };
  };
}

const uncounted: Judged = { passed() {}, refused() {} };

/**
 * The statuses of refusals that count. Others are not the fault of the sender, for example refusals of a rate limit.
 */
const countedStatuses = [400, 403, 413, 415];

/** An agent has several limits. The messages below say which limit is used up, and what still works. */
const then = "Wait as long as Retry-After says, then send it again.";

const sentences: Partial<Record<RateLimitName, string>> = {
  proposals: `This token has made as many proposals as it may in an hour. Reading still works. ${then}`,
  agentReads: `This token has read as often as it may in an hour. ${then}`,
  runWork: `This token has claimed runs and reported on them as often as it may in an hour. Reading still works. ${then}`,
};

/** Replaces the message of `rate_limited` by that of the limit, if it has one. */
export function namingLimit(error: ApiError, limit: RateLimitName | undefined): ApiError {
  const message = limit && sentences[limit];
  return error.code === "rate_limited" && message !== undefined
    ? new ApiError("rate_limited", { ...error.details, message })
    : error;
}

interface UsesInMemory {
  /** Counts one use. Throws `rate_limited`. */
  take(spending: Spending): GiveBack;
  /** Returns the verdict that a use would get, without counting it. */
  look(spending: Spending): UseVerdict;
  forget(): void;
}

/** The memory of an entry without the text of its key and without its uses, in bytes. */
const entryBytes = 300;

/**
 * Counts uses in the memory of this process, in at most `mostBytes`. Above that, the least recently used keys are
 * dropped.
 */
export function createUsesInMemory(
  { clock, settings }: Pick<Deps, "clock"> & { readonly settings: Pick<Deps["settings"], "rateLimits"> },
  mostBytes: number,
): UsesInMemory {
  const logs = new LRUCache<string, { readonly log: UseLog }>({
    maxSize: mostBytes,
    // A character needs two bytes if the text is not Latin-1.
    sizeCalculation: ({ log }, key) => entryBytes + 2 * key.length + bytesOf(log),
  });
  const keyOf = ({ who, rateLimit }: Spending) => `${rateLimit}:${who}`;
  return {
    take(spending) {
      const { log } = logs.get(keyOf(spending)) ?? { log: createUseLog() };
      const verdict = takeUse(log, clock.now().getTime(), settings.rateLimits[spending.rateLimit]);
      // The object must be new, because the cache computes the size only of new values.
      logs.set(keyOf(spending), { log });
      if (!verdict.allowed)
        throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
      return () => void giveUseBack(log, verdict.at);
    },
    look(spending) {
      const { log } = logs.get(keyOf(spending)) ?? { log: createUseLog() };
      return lookAtUses(log, clock.now().getTime(), settings.rateLimits[spending.rateLimit]);
    },
    forget: () => logs.clear(),
  };
}
