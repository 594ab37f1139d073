import type { Clock } from "../../clock.ts";
import type { Lease } from "../../store/requests/limit-leases.ts";

/** Takes a use of a share back. */
export type TakeBack = () => void;

/** A share of a limit: one server may use it up alone, for a while. */
export interface Share {
  readonly key: string;
  readonly lease: Lease;
  /** Until when it may be used, by the steady clock. */
  readonly goodUntil: number;
  used: number;
  hasEnded: boolean;
  /** How many uses the database counts for it. */
  stored: number;
}

/** The shares that a server holds. */
export interface Shares {
  /** Takes a use of the current share of a key. Undefined if a new share is needed. */
  take(key: string): TakeBack | undefined;
  /** Takes a use of a share, also if its time is over: the database has granted it. Undefined if all are taken. */
  takeOf(share: Share): TakeBack | undefined;
  /** Makes a share the current one of its key. */
  begin(share: Share): void;
  /** Ends the shares whose time is over, of all keys or of one. Gives those that have ended and are not settled yet. */
  unsettled(key?: string): Share[];
  /** The database counts for each lease what is given. */
  settled(shares: readonly Share[], leases: readonly Lease[]): void;
}

export function createShares(clock: Clock): Shares {
  const current = new Map<string, Share>();
  const ended = new Set<Share>();

  function end(share: Share): void {
    share.hasEnded = true;
    ended.add(share);
  }

  const ofKey = (key: string): Share[] => [current.get(key) ?? []].flat();

  function takeOf(share: Share): TakeBack | undefined {
    if (share.used >= share.lease.uses) return undefined;
    let isTaken = false;
    const set = (taken: boolean) => {
      if (taken !== isTaken) share.used += taken ? 1 : -1;
      isTaken = taken;
      // It is stored again.
      if (share.hasEnded) ended.add(share);
    };
    set(true);
    return () => set(false);
  }

  return {
    takeOf,

    take(key) {
      const share = current.get(key);
      return share && clock.steadyMs() < share.goodUntil ? takeOf(share) : undefined;
    },

    begin(share) {
      const before = current.get(share.key);
      if (before) end(before);
      current.set(share.key, share);
    },

    unsettled(key) {
      for (const share of key === undefined ? current.values() : ofKey(key)) {
        if (clock.steadyMs() < share.goodUntil) continue;
        current.delete(share.key);
        end(share);
      }
      return [...ended].filter((share) => key === undefined || share.key === key);
    },

    settled(shares, leases) {
      for (const [place, share] of shares.entries()) share.stored = leases[place]?.uses ?? share.stored;
      for (const share of shares) if (share.stored === share.used) ended.delete(share);
    },
  };
}

interface NewShare extends Pick<Share, "key" | "lease" | "goodUntil"> {
  readonly used?: number;
}

/** A new share, of which `used` uses are taken. */
export const createShare = ({ key, lease, goodUntil, used = 0 }: NewShare): Share => ({
  key,
  lease,
  goodUntil,
  used,
  hasEnded: false,
  stored: lease.uses,
});
