import { ApiError } from "../../../src/contract/errors.ts";
import type { Budgets } from "../../settings/limits.ts";

/** The sender of a body: its credential, or its network address if it has none. */
export interface Sender {
  readonly id: string;
  readonly anonymous: boolean;
  readonly network: string;
}

/** The memory that one body uses. */
export interface HeldBody {
  /** Adds bytes. May cut another body, or this one, before it returns. */
  hold(bytes: number): void;
  /** Frees the memory of the body. */
  end(): void;
}

interface Body {
  readonly sender: string;
  readonly cut: (why: ApiError) => void;
  held: number;
}

interface Pool {
  readonly most: number;
  held: number;
  /** The bodies of each sender, the oldest first. */
  readonly bySender: Map<string, Set<Body>>;
}

/**
 * One budget for all bodies that are held in memory while they arrive, and a part of it for senders without a
 * credential. When the budget is used up, the sender that holds the most loses its oldest body.
 */
export function createBodyMemory(budgets: Pick<Budgets, "bufferedBytes" | "anonymousBufferedBytes">) {
  const { bufferedBytes, anonymousBufferedBytes } = budgets;
  const known = createPool(bufferedBytes - anonymousBufferedBytes);
  const anonymous = createPool(anonymousBufferedBytes);

  return (sender: Sender, cut: (why: ApiError) => void): HeldBody => {
    const pool = sender.anonymous ? anonymous : known;
    const body: Body = { sender: sender.id, cut, held: 0 };
    add(pool, body);
    const hold = (bytes: number) => {
      if (!isIn(pool, body)) return;
      body.held += bytes;
      pool.held += bytes;
      while (pool.held > pool.most) {
        const loser = oldestOf(largestSender(pool));
        if (!loser) return;
        remove(pool, loser);
        loser.cut(full());
      }
    };
    hold(ownBytes);
    return { hold, end: () => remove(pool, body) };
  };
}

/** The memory that the server itself needs for a request in progress. */
const ownBytes = 16_384;

const createPool = (most: number): Pool => ({ most, held: 0, bySender: new Map() });

const isIn = ({ bySender }: Pool, body: Body): boolean => bySender.get(body.sender)?.has(body) === true;

function add({ bySender }: Pool, body: Body): void {
  const bodies = bySender.get(body.sender);
  if (bodies) bodies.add(body);
  else bySender.set(body.sender, new Set([body]));
}

function remove(pool: Pool, body: Body): void {
  const bodies = pool.bySender.get(body.sender);
  if (!bodies?.delete(body)) return;
  pool.held -= body.held;
  if (bodies.size === 0) pool.bySender.delete(body.sender);
}

function largestSender({ bySender }: Pool): ReadonlySet<Body> {
  let largest: ReadonlySet<Body> = new Set();
  let most = 0;
  for (const bodies of bySender.values()) {
    let held = 0;
    for (const body of bodies) held += body.held;
    if (held <= most) continue;
    most = held;
    largest = bodies;
  }
  return largest;
}

function oldestOf(bodies: ReadonlySet<Body>): Body | undefined {
  for (const body of bodies) if (body.held > 0) return body;
  return undefined;
}

const full = () =>
  new ApiError("busy", {
    message: "Too many requests arrive at once. Nothing was changed; send it again shortly.",
    retryAfterSeconds: 1,
  });
