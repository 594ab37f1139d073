import type { Connection } from "./drivers/connection.ts";
import { TransactionLost } from "./errors.ts";
import type { Unit } from "./units.ts";
import { whenFree } from "./when-free.ts";

/** Commits all units together and tells each how it ended. A failing one undoes only itself. Never rejects. */
export async function commitTogether(connection: Connection, units: readonly Unit[]): Promise<void> {
  const [first, second] = units;
  if (first === undefined) return;
  if (second === undefined && first.single) await commitAlone(connection, first);
  else await commitShared(connection, units);
}

async function commitAlone(connection: Connection, unit: Unit): Promise<void> {
  try {
    await whenFree(() => unit.run(connection));
  } catch (error) {
    const parts = unit.parts();
    if (parts.length === 0) unit.fail(error);
    else await commitShared(connection, parts);
    return;
  }
  unit.succeed();
}

async function commitShared(connection: Connection, units: readonly Unit[]): Promise<void> {
  const queue = [...units];
  let done: Unit[];
  try {
    await whenFree(() => connection.exec("BEGIN IMMEDIATE; SAVEPOINT unit"));
    done = await runAll(connection, queue);
    await connection.exec("COMMIT");
  } catch (error) {
    // Fails where SQLite has undone the transaction itself.
    await connection.exec("ROLLBACK").catch(() => {});
    for (const unit of queue) unit.fail(error);
    return;
  }
  for (const unit of done) unit.succeed();
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
