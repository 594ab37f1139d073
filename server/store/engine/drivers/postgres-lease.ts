import type pg from "pg";

/** When a call must have ended, by `performance.now()`. */
export type Deadline = number;

export const deadlineIn = (milliseconds: number): Deadline => performance.now() + milliseconds;

/**
 * Lends a connection of the pool. At the deadline it is cut: what waits for the database then fails as for any lost
 * connection, although the database may never answer. `undo` brings a connection in order after a failure, and tells
 * whether it could.
 */
export async function withClient<Result>(
  pool: pg.Pool,
  deadline: Deadline,
  { use, undo }: Use<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const timer = cutAt(client, deadline);
  let broken = false;
  try {
    return await use(client);
  } catch (error) {
    broken = !(await undo(client));
    throw error;
  } finally {
    clearTimeout(timer);
    client.release(broken);
  }
}

interface Use<Result> {
  readonly use: (client: pg.PoolClient) => Promise<Result>;
  readonly undo: (client: pg.PoolClient) => Promise<boolean>;
}

// `end` destroys the socket of a connection that waits for an answer.
function cutAt(client: pg.PoolClient, deadline: Deadline): NodeJS.Timeout | undefined {
  if (deadline === Number.POSITIVE_INFINITY) return undefined;
  const cut = () => void client.end().catch(() => undefined);
  return setTimeout(cut, Math.max(1, deadline - performance.now()));
}
