import type { Connection } from "../drivers/connection.ts";
import { TransactionLost } from "../errors.ts";
import { traced } from "../traced.ts";
import type { Statements } from "../transaction.ts";
import type { Unit } from "../units.ts";
import { statementsOf } from "./sqlite-statements.ts";
import { whenFree } from "./when-free.ts";

/** Gives the function that commits units together and tells each how it ended. A failing one undoes only itself. It never rejects. */
export function groupCommit(connection: Connection): (units: readonly Unit[]) => Promise<void> {
  /** A transaction may still be open: what runs now could seem committed and be undone later. */
  let unsettled = false;
  const statements = statementsOf(connection);
  const runGuarded = guarded(connection, statements);
  const runUnguarded = unguarded(connection);

  async function settle(): Promise<void> {
    if (unsettled) await rollBack(connection);
    unsettled = false;
  }

  async function commitAlone(unit: Unit): Promise<void> {
    try {
      await settle();
      await whenFree(() => unit.run(statements));
    } catch (error) {
      const parts = unit.parts();
      if (parts.length > 0) return commitShared(parts);
      return unit.fail(error);
    }
    unit.succeed();
  }

  /** Without savepoints, which cost more than most units do; with them only once a unit has failed half-way. */
  async function commitShared(units: readonly Unit[], runAll = runUnguarded): Promise<void> {
    const queue = [...units];
    let verdicts: readonly Verdict[];
    try {
      await settle();
      await whenFree(() => connection.exec("BEGIN IMMEDIATE"));
      verdicts = await runAll(queue);
      await connection.exec("COMMIT");
    } catch (error) {
      unsettled = true;
      await settle().catch(() => {});
      const spoilt = error instanceof Spoilt;
      if (spoilt && units.length > 1) return commitShared(units, runGuarded);
      for (const unit of queue) unit.fail(spoilt ? error.cause : error);
      return;
    }
    for (const tell of verdicts) tell();
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

/** Runs the units of an open transaction one after another. Gives what tells each how it ended, once that is durable. */
type RunAll = (queue: Unit[]) => Promise<readonly Verdict[]>;
type Verdict = () => void;

/** A unit has failed half-way: the transaction must be undone and all of it run again. */
class Spoilt extends Error {}

/** A unit that fails whole and without a trace needs no undoing. Throws `Spoilt` for any other. */
function unguarded(connection: Connection): RunAll {
  const { runner, reset, hasTrace } = traced(connection);
  const statements = statementsOf(runner);
  return async (queue) => {
    const verdicts: Verdict[] = [];
    for (const unit of queue) {
      reset();
      try {
        await unit.run(statements);
        verdicts.push(() => unit.succeed());
      } catch (error) {
        const whole = unit.parts().length === 0;
        if (!whole || hasTrace()) throw new Spoilt("A unit has failed half-way.", { cause: error });
        verdicts.push(() => unit.fail(error));
      }
    }
    return verdicts;
  };
}

/** Each unit has a savepoint to fall back to. The parts of a failed one join the end of the queue. */
function guarded(connection: Connection, statements: Statements): RunAll {
  return async (queue) => {
    const verdicts: Verdict[] = [];
    await connection.exec("SAVEPOINT unit");
    for (const unit of queue) {
      const fault = await faultOf(unit, statements);
      if (fault === undefined) {
        verdicts.push(() => unit.succeed());
        await connection.exec("RELEASE unit; SAVEPOINT unit");
        continue;
      }
      await undo(connection, fault);
      const parts = unit.parts();
      if (parts.length === 0) verdicts.push(() => unit.fail(fault.cause));
      queue.push(...parts);
    }
    return verdicts;
  };
}

/** How a unit failed; undefined where it did not. */
async function faultOf(unit: Unit, statements: Statements): Promise<{ cause: unknown } | undefined> {
  try {
    await unit.run(statements);
    return undefined;
  } catch (cause) {
    return { cause };
  }
}

async function undo(connection: Connection, { cause }: { cause: unknown }): Promise<void> {
  try {
    await connection.exec("ROLLBACK TO unit");
  } catch {
    throw new TransactionLost(cause);
  }
}
