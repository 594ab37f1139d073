import type { Clock } from "../../clock.ts";
import type { RateLimit } from "../../domain/limits/use-log.ts";
import type { Database, Transaction } from "../../store/engine/database.ts";
import { type Lease, limitLeases } from "../../store/requests/limit-leases.ts";
import type { RateVerdict } from "../../store/requests/rate-limits.ts";
import { createShare, createShares, type Share, type TakeBack } from "./shares.ts";

type Refusal = Extract<RateVerdict, { readonly allowed: false }>;

/** The high limits of servers that share a PostgreSQL database. Each takes a share for a second, and counts it in memory. */
export interface LeasedLimits {
  /** Takes a use outside a transaction. Requests of one key wait together for a new share. */
  take(key: string, rule: RateLimit): Promise<{ readonly allowed: true; giveBack: TakeBack } | Refusal>;
  /** Takes a use of the present share. Gives whether there is one. */
  takeAtOnce(key: string): boolean;
  /** Takes a use as part of a transaction. `begin` must be called when the transaction has committed. */
  takeIn(
    tx: Transaction,
    key: string,
    rule: RateLimit,
  ): Promise<{ readonly allowed: true; begin: () => void; giveBack: TakeBack } | Refusal>;
  look(key: string, rule: RateLimit): Promise<RateVerdict>;
  /** Stores how many uses of each ended share were used. */
  settle(): Promise<void>;
}

/** What the database has answered to a request for a share. */
type Asked = { readonly allowed: true; readonly share: Share } | Refusal;

const leaseMs = 1_000;
/** One server holds at most this part of a limit that it has not used. */
const part = 100;

interface Needed {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: () => string;
}

export function createLeasedLimits({ database, clock, newId }: Needed): LeasedLimits {
  const shares = createShares(clock);
  const asking = new Map<string, Promise<Asked>>();
  /** The keys of which a transaction asks for a share. */
  const askingInside = new Set<string>();

  async function ask(tx: Transaction, key: string, { rule, most }: { rule: RateLimit; most: number }) {
    // The rest of the share that has just ended is free at once, and not after a second.
    const rest = shares.unsettled(key).filter(({ used, stored }) => used !== stored);
    await limitLeases.settle(tx, rest.map(leaseOf));
    return limitLeases.take(tx, { id: newId(), key, rule, most, lastsMs: leaseMs, offsetMs: clock.offsetMs });
  }

  async function askAlone(key: string, rule: RateLimit): Promise<Asked> {
    const goodUntil = clock.steadyMs() + leaseMs;
    const verdict = await database.write((tx) => ask(tx, key, { rule, most: shareOf(rule) }));
    if (!verdict.allowed) return verdict;
    const share = createShare({ key, lease: verdict.lease, goodUntil });
    shares.begin(share);
    return { allowed: true, share };
  }

  /** One request asks for a share, and those that come meanwhile wait for it. */
  function askTogether(key: string, rule: RateLimit): Promise<Asked> {
    const asked = asking.get(key) ?? askAlone(key, rule).finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  }

  return {
    async take(key, rule) {
      for (;;) {
        const known = shares.take(key);
        if (known) return { allowed: true, giveBack: known };
        const asked = await askTogether(key, rule);
        if (!asked.allowed) return asked;
        // The use is granted at the time of the database. A slow database may answer after the time of the share.
        const giveBack = shares.takeOf(asked.share);
        if (giveBack) return { allowed: true, giveBack };
      }
    },

    takeAtOnce: (key) => shares.take(key) !== undefined,

    async takeIn(tx, key, rule) {
      const giveBack = shares.take(key);
      if (giveBack) return { allowed: true, begin: nothing, giveBack };
      const most = askingInside.has(key) ? 1 : shareOf(rule);
      askingInside.add(key);
      const goodUntil = clock.steadyMs() + leaseMs;
      const verdict = await ask(tx, key, { rule, most }).finally(() => askingInside.delete(key));
      if (!verdict.allowed) return verdict;
      const share = createShare({ key, lease: verdict.lease, goodUntil, used: 1 });
      // If the transaction is rolled back, the database has no such share.
      return { allowed: true, begin: () => shares.begin(share), giveBack: nothing };
    },

    look: (key, rule) => limitLeases.look(database, { key, rule, offsetMs: clock.offsetMs }),

    async settle() {
      const unsettled = shares.unsettled();
      const leases = unsettled.map(leaseOf);
      const changed = leases.filter(({ uses }, place) => uses !== unsettled[place]?.stored);
      if (changed.length > 0) await database.write((tx) => limitLeases.settle(tx, changed));
      shares.settled(unsettled, leases);
    },
  };
}

/** A lease with the uses that were used. */
const leaseOf = ({ lease, used }: Share): Lease => ({ id: lease.id, uses: used });

const nothing = (): void => undefined;

const shareOf = ({ limit }: RateLimit): number => Math.max(1, Math.floor(limit / part));
