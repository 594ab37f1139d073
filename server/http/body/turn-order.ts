import type { ApiError } from "../../../src/contract/errors.ts";

/** A large body, and what is needed to estimate when it ends. */
export interface LargeBody {
  /** Its length, or the largest length that is accepted if it is unknown. */
  readonly bytes: number;
  /** How many of its bytes have arrived. */
  arrivedBytes(): number;
}

/** The sender of a body: a credential and its owner. Turns are shared among owners. */
export interface TurnSender {
  readonly key: string;
  readonly owner: string;
}

/** A body that is being read now. */
export interface Running {
  readonly sender: TurnSender;
  readonly body: LargeBody;
  readonly since: number;
  listener: ((why: ApiError) => void) | undefined;
  isCut: boolean;
}

/** A body that has run for this long may have to give its place to an owner with one running body fewer. */
const longMilliseconds = 30_000;

/** It keeps its place only if it comes faster than the least rate by this factor. */
const enoughOfLeastRate = 1.5;

/** Something that has a sender: a running or a waiting body. */
type WithSender = { readonly sender: TurnSender };

/** How many of these a key has sent. */
export function countOfKey(sent: Iterable<WithSender>, key: string): number {
  let count = 0;
  for (const { sender } of sent) if (sender.key === key) count += 1;
  return count;
}

/** How many of these an owner has sent, with all keys together. */
export function countOfOwner(sent: Iterable<WithSender>, owner: string): number {
  let count = 0;
  for (const { sender } of sent) if (sender.owner === owner) count += 1;
  return count;
}

interface Newcomer {
  /** How long the waiting body itself is expected to take. */
  readonly ownMs: number;
  /** In bytes a second. */
  readonly leastRate: number;
}

/** The running body that is cut to make room for a body of this owner. Undefined if none has to be. */
export function bodyToCut(
  running: ReadonlySet<Running>,
  owner: string,
  { ownMs, leastRate }: Newcomer,
): Running | undefined {
  const now = performance.now();
  const most = bodiesOfBusiestOwners([...running].filter(({ isCut }) => !isCut));
  const ahead = (most[0]?.length ?? 0) - countOfOwner(running, owner);
  if (ahead !== 1) return ahead > 1 ? most[0]?.[0] : undefined;
  const long = most.flat().filter(({ since }) => now - since > longMilliseconds);
  const [slowest] = long.sort((a, b) => compare(remainingMs(b, now), remainingMs(a, now)));
  if (slowest && remainingMs(slowest, now) > ownMs) return slowest;
  return long.find(
    ({ body, since }) => body.arrivedBytes() * 1_000 < (now - since) * leastRate * enoughOfLeastRate,
  );
}

/** The newest body of the owner with the most, and how many bodies that owner has. */
export function newestOfBusiestOwner<Item extends WithSender>(
  sent: Iterable<Item>,
): [Item | undefined, number] {
  const [most] = bodiesOfBusiestOwners(sent);
  return [most?.at(-1), most?.length ?? 0];
}

/** The bodies of each owner who has the most, oldest first. */
function bodiesOfBusiestOwners<Item extends WithSender>(sent: Iterable<Item>): Item[][] {
  const byOwner = new Map<string, Item[]>();
  for (const item of sent) {
    const others = byOwner.get(item.sender.owner);
    if (others) others.push(item);
    else byOwner.set(item.sender.owner, [item]);
  }
  const most = Math.max(0, ...[...byOwner.values()].map(({ length }) => length));
  return [...byOwner.values()].filter(({ length }) => length === most);
}

/** How long a body will still take if it continues at its present rate. */
function remainingMs({ body, since }: Running, now: number): number {
  const came = body.arrivedBytes();
  return came <= 0 ? Number.POSITIVE_INFINITY : ((body.bytes - came) * (now - since)) / came;
}

/** Infinity minus Infinity is not a number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
