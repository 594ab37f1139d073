import type { ApiError } from "../../../src/contract/errors.ts";

/** A large body, as far as its end can be foreseen. */
export interface LargeBody {
  /** How long it is; The most that is taken where that is unknown. */
  readonly bytes: number;
  /** How much of it has come. */
  came(): number;
}

/** Who sends a body: a credential and its owner. Turns are shared among owners. */
export interface TurnSender {
  readonly key: string;
  readonly owner: string;
}

/** One that is taken in now. */
export interface Running {
  readonly sender: TurnSender;
  readonly body: LargeBody;
  readonly since: number;
  tell: ((why: ApiError) => void) | undefined;
  isCut: boolean;
}

/** One that has run for so long may have to go for somebody who has one fewer. */
const longMilliseconds = 30_000;

/** So much faster than the least rate must a body come to keep its place then. */
const enoughOfLeastRate = 1.5;

/** What somebody has sent. */
type Sent = { readonly sender: TurnSender };

/** How many of these a key has sent. */
export function countOfKey(sent: Iterable<Sent>, key: string): number {
  let count = 0;
  for (const { sender } of sent) if (sender.key === key) count += 1;
  return count;
}

/** How many of these an owner has sent, with all keys. */
export function countOfOwner(sent: Iterable<Sent>, owner: string): number {
  let count = 0;
  for (const { sender } of sent) if (sender.owner === owner) count += 1;
  return count;
}

interface Newcomer {
  /** How long its own body takes. */
  readonly ownMs: number;
  /** In bytes a second. */
  readonly leastRate: number;
}

/** The body that is cut for another one of this owner; undefined where none has to be. */
export function loserIn(
  running: ReadonlySet<Running>,
  owner: string,
  { ownMs, leastRate }: Newcomer,
): Running | undefined {
  const now = performance.now();
  const most = ofThoseWithMost([...running].filter(({ isCut }) => !isCut));
  const ahead = (most[0]?.length ?? 0) - countOfOwner(running, owner);
  if (ahead !== 1) return ahead > 1 ? most[0]?.[0] : undefined;
  const long = most.flat().filter(({ since }) => now - since > longMilliseconds);
  const [slowest] = long.sort((a, b) => compare(remainingMs(b, now), remainingMs(a, now)));
  if (slowest && remainingMs(slowest, now) > ownMs) return slowest;
  return long.find(({ body, since }) => body.came() * 1_000 < (now - since) * leastRate * enoughOfLeastRate);
}

/** The newest of the owner with the most, and how many those are. */
export function newestOfMost<Item extends Sent>(sent: Iterable<Item>): [Item | undefined, number] {
  const [most] = ofThoseWithMost(sent);
  return [most?.at(-1), most?.length ?? 0];
}

/** What was sent by each owner who has the most, in the order of its beginning. */
function ofThoseWithMost<Item extends Sent>(sent: Iterable<Item>): Item[][] {
  const byOwner = new Map<string, Item[]>();
  for (const item of sent) {
    const others = byOwner.get(item.sender.owner);
    if (others) others.push(item);
    else byOwner.set(item.sender.owner, [item]);
  }
  const most = Math.max(0, ...[...byOwner.values()].map(({ length }) => length));
  return [...byOwner.values()].filter(({ length }) => length === most);
}

/** How long a body will still take if it goes on as before. */
function remainingMs({ body, since }: Running, now: number): number {
  const came = body.came();
  return came <= 0 ? Number.POSITIVE_INFINITY : ((body.bytes - came) * (now - since)) / came;
}

/** Infinity minus Infinity is no number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
