import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import type { AttemptLimit, Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { shortTextAt } from "../../../src/contract/json.ts";
import { limits, type RateLimitName, secretLimits } from "../../../src/contract/limits.ts";
import type { Clock } from "../../clock.ts";
import type { Database, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import type { IncomingRequest } from "../handler.ts";
import {
  consume,
  type GiveBack,
  type Limiter,
  type MutationUse,
  peek,
  type RateLimit,
  type RateVerdict,
  type Spending,
} from "./store.ts";

/**
 * Limits that each server counts in memory. They protect no secret. All other counts are in the database.
 * (rule H16)
 */
const inMemory: ReadonlySet<RateLimitName> = new Set<RateLimitName>([
  ...(["feedback", "feedbackRepeats", "faqWrites", "agentReads", "drafts"] as const),
  ...(["refusedBodiesByAddress", "refusedByCredential"] as const),
]);

/**
 * Whether a limit applies. Only a development server can switch off limits on attempts to guess a secret.
 * (rule H16)
 */
export const limitApplies = (
  { rateLimited, dev }: Pick<Settings, "rateLimited" | "dev">,
  name: RateLimitName,
): boolean => rateLimited || (!dev && secretLimits.has(name));

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

/** The maximum memory for the counts, in bytes. */
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

type Limiting = Pick<Deps, "database" | "clock" | "settings" | "limiter">;

/** Throws `rate_limited` if the limits of the endpoint or a limit by account are used up. Does not count. */
export async function refuseLimited(
  endpoint: Endpoint,
  caller: NonNullable<Caller>,
  deps: Limiting,
): Promise<void> {
  if (deps.settings.rateLimited) await refuseWithoutRoom(endpoint, caller.id, deps);
  for (const { limit, key } of accountLimitsOf(endpoint, caller, deps.settings)) {
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

/** Counts an attempt to guess a secret, even a successful one. Counts nothing when throwing `rate_limited`. */
export async function countAttempt(
  endpoint: Endpoint,
  incoming: IncomingRequest,
  deps: Limiting,
): Promise<void> {
  const attempts = (endpoint.attempts ?? []).filter(({ limit }) => limitApplies(deps.settings, limit));
  if (attempts.length === 0) return;
  await deps.database.write(async (tx) => {
    for (const attempt of attempts) {
      const rule = deps.settings.rateLimits[attempt.limit];
      assertAllowed(await consume(tx, { key: keyOf(attempt, incoming), rule, clock: deps.clock }));
    }
  });
}

/**
 * Returns the limits that count attempts by account, with the keys for counting. Leaves out limits that do not
 * apply.
 */
export function accountLimitsOf(
  { attempts = [] }: Endpoint,
  caller: Caller,
  settings: Pick<Settings, "rateLimited" | "dev">,
) {
  return attempts
    .filter(({ limit, by }) => by.every((whose) => whose === "account") && limitApplies(settings, limit))
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
  return shortTextAt(body, whose.slice("body.".length)).toLowerCase();
}

/** Returns the key under which the rate limit counts a request. Undefined if no limit applies. */
export function limitedByOf(
  endpoint: Endpoint,
  { caller, body }: IncomingRequest,
  { settings }: Pick<Deps, "settings">,
): string | undefined {
  if (!endpoint.rateLimit) return undefined;
  // This limit counts by a field, such as a test key. Only a development server can switch the limit off.
  // (rule T30)
  if (endpoint.rateLimitBy && (settings.rateLimited || !settings.dev))
    return hashOf(shortTextAt(body, endpoint.rateLimitBy));
  return settings.rateLimited ? caller?.id : undefined;
}

/**
 * Counts a request without a credential. Throws `rate_limited`. A request above the limit does not wait for a
 * write transaction.
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
 * Begins to count a request. `announced` is the length of its body if the headers contain it. Throws `rate_limited`.
 */
export type CountBody = (sender: Sender, announced?: number) => Judged;

/** The functions of a counted request. Call one of them when it is known whether the request was refused. */
interface Judged {
  passed(): void;
  /** Call this with the status of the answer. Throws `rate_limited` if the limit of a credential is exceeded. */
  refused(status: number): void;
}

/** Limits requests that are refused before the limits of their endpoint apply. (rule H18) */
export function createCountBody(deps: Pick<Deps, "clock" | "settings">): CountBody {
  const memory = createUsesInMemory(deps, mostBytes.refusals);
  return ({ id, anonymous, network }, announced = Number.POSITIVE_INFINITY) => {
    if (!deps.settings.rateLimited) return uncounted;
    if (anonymous) {
      // The request counts before its body arrives, so that many simultaneous requests cannot exceed the limit.
      const giveBack = memory.take({ who: id, rateLimit: "refusedBodiesByAddress" });
      return { passed: giveBack, refused() {} };
    }
    // Many devices share an app key or a network. One broken device must not stop the others.
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

/** The statuses of the refusals that count. Only these refusals are an error of the sender. */
const countedStatuses = [400, 403, 413, 415];

const then = "Wait as long as the header Retry-After says, then send the request again.";

/** The messages that name the limit which is used up. An agent has several limits, so it needs the name. */
const sentences: Partial<Record<RateLimitName, string>> = {
  proposals: `This token has reached its hourly limit for proposals. Reading still works. ${then}`,
  agentReads: `This token has reached its hourly limit for reading. ${then}`,
  runWork: `This token has reached its hourly limit for claims and reports. Reading still works. ${then}`,
};

/** Replaces the message of `rate_limited` with the message of the limit, if the limit has one. */
export function namingLimit(error: ApiError, limit: RateLimitName | undefined): ApiError {
  const message = limit && sentences[limit];
  return error.code === "rate_limited" && message !== undefined
    ? new ApiError("rate_limited", { ...error.details, message })
    : error;
}

interface UsesInMemory {
  /** Counts one use. Throws `rate_limited`. */
  take(spending: Spending): GiveBack;
  /** Returns the verdict that a use would get. Does not count a use. */
  look(spending: Spending): UseVerdict;
  forget(): void;
}

/** The memory in bytes that an entry uses in addition to the text of its key and its uses. */
const entryBytes = 300;

/**
 * Counts uses in memory, with at most `mostBytes`. Drops the least recently used keys first. `take` throws
 * `rate_limited`.
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
      // The object must be new. The cache computes the size of a value only when it gets a new object.
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

type UseVerdict =
  /** `at` is the time of the counted use, in milliseconds since 1970. */
  | { readonly allowed: true; readonly at: number }
  /** The number of whole seconds after which a use is allowed. */
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/** The uses of one key, in two lists of numbers. Very many objects would slow down the garbage collector. */
interface UseLog {
  /** The times of uses, oldest first, in milliseconds since 1970. Times before the index `start` no longer count. */
  times: number[];
  /** The number of uses at each time in `times`. */
  counts: number[];
  start: number;
  /** The total number of uses that still count. */
  total: number;
}

/** The maximum number of stored times. For a higher `limit`, rounding up makes several uses share a time. */
const mostTimes = 2_048;

/** The number of old uses that may stay in memory before they are all removed in one step. */
const mostForgotten = 32;

export const createUseLog = (): UseLog => ({ times: [], counts: [], start: 0, total: 0 });

/** Counts one use if the rule allows it. `now` is in milliseconds since 1970. (rule H16) */
export function takeUse(log: UseLog, now: number, rule: RateLimit): UseVerdict {
  const verdict = lookAtUses(log, now, rule);
  if (verdict.allowed) add(log, verdict.at);
  return verdict;
}

/** Returns the verdict of `takeUse` without counting. Removes old uses. (rule H31) */
export function lookAtUses(log: UseLog, now: number, { limit, windowSeconds }: RateLimit): UseVerdict {
  const windowMs = windowSeconds * 1_000;
  forgetOld(log, now, windowMs);
  if (log.total < limit) return { allowed: true, at: timeOf(log, now, limit, windowMs) };
  const retryAfterSeconds = Math.ceil((decidingOf(log, limit) + windowMs - now) / 1_000);
  return { allowed: false, retryAfterSeconds: Math.max(1, retryAfterSeconds) };
}

/** Removes one use that `takeUse` counted at the time `at`. Returns whether the use was still in memory. */
export function giveUseBack(log: UseLog, at: number): boolean {
  const { times, counts } = log;
  const place = times.lastIndexOf(at);
  if (place < log.start) return false;
  const left = (counts[place] ?? 0) - 1;
  counts[place] = left;
  log.total -= 1;
  if (left > 0) return true;
  times.splice(place, 1);
  counts.splice(place, 1);
  return true;
}

/**
 * Returns the maximum memory of `times` and `counts`, in bytes. An array allocates more memory than its
 * elements need.
 */
export const bytesOf = ({ times }: UseLog): number => 2 * (16 + 8 * (2 * times.length + 18));

function forgetOld(log: UseLog, now: number, windowMs: number): void {
  const { times, counts } = log;
  const last = times.at(-1) ?? 0;
  // The condition is true only after the clock was set back. `timeOf` rounds up by at most
  // `Math.ceil(windowMs / mostTimes)`.
  if (last > now + windowMs + Math.ceil(windowMs / mostTimes)) return void Object.assign(log, createUseLog());
  const oldest = now - windowMs;
  for (; log.start < times.length && (times[log.start] ?? 0) <= oldest; log.start += 1)
    log.total -= counts[log.start] ?? 0;
  if (log.start <= mostForgotten || log.start * 2 <= times.length) return;
  log.times = times.slice(log.start);
  log.counts = counts.slice(log.start);
  log.start = 0;
}

/** Returns the time to record for a use. It is never before the last use. */
function timeOf({ times }: UseLog, now: number, limit: number, windowMs: number): number {
  const part = limit <= mostTimes ? 1 : Math.ceil(windowMs / mostTimes);
  return Math.max(times.at(-1) ?? 0, Math.ceil(now / part) * part);
}

/** Returns the time of the use that must leave the window before the next use is allowed. */
function decidingOf({ times, counts, start, total }: UseLog, limit: number): number {
  let over = total - limit;
  for (let place = start; place < times.length; place += 1) {
    over -= counts[place] ?? 0;
    if (over < 0) return times[place] ?? 0;
  }
  return 0;
}

function add(log: UseLog, at: number): void {
  const { times, counts, start } = log;
  const last = times.length - 1;
  if (last >= start && times[last] === at) counts[last] = (counts[last] ?? 0) + 1;
  else {
    times.push(at);
    counts.push(1);
  }
  log.total += 1;
}

/**
 * Creates a function that returns the client's address: the last entry of X-Forwarded-For that is no trusted
 * proxy.
 */
export function createAddressOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const networks = trustedProxies.map((network) => ipaddr.parseCIDR(network));
  const isTrusted = (address: string) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  };
  return (request) => {
    const peer = peerOf(request);
    if (networks.length === 0 || !isTrusted(peer)) return peer;
    const forwarded = String(request.headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((entry) => plain(withoutPort(entry.trim())));
    const client = forwarded.reverse().find((entry) => !isTrusted(entry));
    return client !== undefined && ipaddr.isValid(client) ? client : peer;
  };
}

/**
 * Returns an IPv4 address unchanged, and the first 64 bits of an IPv6 address, which usually belong to one
 * customer.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}

/** Returns the address of the connection. An IPv4 address in IPv6 form becomes plain IPv4. */
const peerOf = ({ socket }: IncomingMessage): string => {
  const { remoteAddress = "" } = socket;
  return remoteAddress.startsWith("::ffff:") ? plain(remoteAddress) : remoteAddress;
};

/** Removes the port, because some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string => {
  const [, bracketed, plainV4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return bracketed ?? plainV4 ?? entry;
};

const plain = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;

/** The sender of a body: its credential, or its network address if it has none. */
export interface Sender {
  readonly id: string;
  readonly anonymous: boolean;
  readonly network: string;
}

/** Returns the sender of a body: the caller, or the network of the address if there is no caller. */
export const senderOf = (caller: { readonly id: string } | undefined, address: string): Sender => ({
  id: caller ? caller.id : networkOf(address),
  anonymous: !caller,
  network: networkOf(address),
});
