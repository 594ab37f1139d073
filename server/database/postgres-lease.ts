import type pg from "pg";

/** When a call must have ended, in the time of `performance.now()`. */
export type Deadline = number;

export const deadlineIn = (milliseconds: number): Deadline => performance.now() + milliseconds;

/**
 * Calls `use` with a connection of the pool. At the deadline the connection is closed, so that a waiting query fails as with
 * any lost connection even if the database never answers. After a failure, `undo` makes the connection usable again and
 * says whether it succeeded.
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
    broken = !(await undo(client, error));
    throw error;
  } finally {
    clearTimeout(timer);
    client.release(broken);
  }
}

interface Use<Result> {
  readonly use: (client: pg.PoolClient) => Promise<Result>;
  readonly undo: (client: pg.PoolClient, error: unknown) => Promise<boolean>;
}

// `end` destroys the socket if the connection waits for an answer.
function cutAt(client: pg.PoolClient, deadline: Deadline): NodeJS.Timeout | undefined {
  if (deadline === Number.POSITIVE_INFINITY) return undefined;
  const cut = () => void client.end().catch(() => undefined);
  return setTimeout(cut, Math.max(1, deadline - performance.now()));
}
