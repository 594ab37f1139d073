import type { Connection } from "./drivers/connection.ts";
import { TransactionLost } from "./errors.ts";
import type { Unit } from "./units.ts";
import { whenFree } from "./when-free.ts";

/** Gives the function that commits units together and tells each how it ended. A failing one undoes only itself. It never rejects. */
export function groupCommit(connection: Connection): (units: readonly Unit[]) => Promise<void> {
  /** A transaction may still be open: what runs now could seem committed and be undone later. */
  let unsettled = false;

  async function settle(): Promise<void> {
    if (unsettled) await rollBack(connection);
    unsettled = false;
  }

  async function commitAlone(unit: Unit): Promise<void> {
    try {
      await settle();
      await whenFree(() => unit.run(connection));
    } catch (error) {
      const parts = unit.parts();
      if (parts.length > 0) return commitShared(parts);
      return unit.fail(error);
    }
    unit.succeed();
  }

  async function commitShared(units: readonly Unit[]): Promise<void> {
    const queue = [...units];
    let done: Unit[];
    try {
      await settle();
      await whenFree(() => connection.exec("BEGIN IMMEDIATE; SAVEPOINT unit"));
      done = await runAll(connection, queue);
      await connection.exec("COMMIT");
    } catch (error) {
      unsettled = true;
      await settle().catch(() => {});
      for (const unit of queue) unit.fail(error);
      return;
    }
    for (const unit of done) unit.succeed();
  }

  return async (units) => {
    const [first, second] = units;
    if (first === undefined) return;
    if (second === undefined && first.single) await commitAlone(first);
    else await commitShared(units);
  };
}

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.exec("ROLLBACK");
  } catch (error) {
    const undoneAlready = error instanceof Error && error.message.includes("no transaction is active");
    if (!undoneAlready) throw error;
  }
}

/** Runs the units one after another and gives those that did not fail. The parts of a failed one join the end of the queue. */
async function runAll(connection: Connection, queue: Unit[]): Promise<Unit[]> {
  const done: Unit[] = [];
  let dirty = false;
  for (const unit of queue) {
    if (dirty) await connection.exec("RELEASE unit; SAVEPOINT unit");
    dirty = await runOne(connection, unit, queue);
    if (dirty) done.push(unit);
  }
  return done;
}

async function runOne(connection: Connection, unit: Unit, queue: Unit[]): Promise<boolean> {
  try {
    await unit.run(connection);
    return true;
  } catch (error) {
    const parts = unit.parts();
    if (parts.length === 0) unit.fail(error);
    queue.push(...parts);
    await undo(connection, error);
    return false;
  }
}

async function undo(connection: Connection, cause: unknown): Promise<void> {
  try {
    await connection.exec("ROLLBACK TO unit");
  } catch {
    throw new TransactionLost(cause);
  }
}
