import { TransactionLost } from "../errors.ts";
import type { Statements } from "../transaction.ts";
import type { Unit } from "../units.ts";
import { trackChanges } from "./change-tracker.ts";
import type { Connection, StatementRunner } from "./connection.ts";
import { whenFree } from "./when-free.ts";

/**
 * Creates the function that commits units together and gives each unit its result. Only the changes of failed units are
 * undone. The function never rejects.
 */
export function groupCommit(connection: Connection): (units: readonly Unit[]) => Promise<void> {
  /** Whether a failed transaction may still be open. New statements in it would be undone later. */
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

  /** Works first without savepoints, which cost more than most units. Uses them only after a unit has failed half-way. */
  async function commitShared(units: readonly Unit[], runAll = runUnguarded): Promise<void> {
    const queue = [...units];
    let tellResults: readonly TellResult[];
    try {
      await settle();
      await whenFree(() => connection.exec("BEGIN IMMEDIATE"));
      tellResults = await runAll(queue);
      await connection.exec("COMMIT");
    } catch (error) {
      unsettled = true;
      await settle().catch(() => {});
      const halfWay = error instanceof FailedHalfWay;
      if (halfWay && areMany(units)) return commitShared(units, runGuarded);
      for (const unit of queue) unit.fail(halfWay ? error.cause : error);
      return;
    }
    for (const tell of tellResults) tell();
  }

  return async (units) => {
    const [first, second] = units;
    if (first === undefined) return;
    if (second === undefined && first.single) await commitAlone(first);
    else await commitShared(units);
  };
}

const areMany = (units: readonly Unit[]): boolean =>
  units.length > 1 || units.some((unit) => unit.parts().length > 0);

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.exec("ROLLBACK");
  } catch (error) {
    const undoneAlready = error instanceof Error && error.message.includes("no transaction is active");
    if (!undoneAlready) throw error;
  }
}

/**
 * Runs the units of an open transaction one after another. Gives the calls that tell each unit its result after the
 * commit.
 */
type RunAll = (queue: Unit[]) => Promise<readonly TellResult[]>;
type TellResult = () => void;

/** A unit has failed half-way, so the whole transaction must be undone and run again. */
class FailedHalfWay extends Error {}

/** Runs units without savepoints. A unit that fails without any change needs no undo; for others throws `FailedHalfWay`. */
function unguarded(connection: Connection): RunAll {
  const { runner, reset, mayHaveChanged } = trackChanges(connection);
  const statements = statementsOf(runner);
  return async (queue) => {
    const tellResults: TellResult[] = [];
    for (const unit of queue) {
      reset();
      try {
        await unit.run(statements);
        tellResults.push(() => unit.succeed());
      } catch (error) {
        const whole = unit.parts().length === 0;
        if (!whole || mayHaveChanged())
          throw new FailedHalfWay("A unit has failed half-way.", { cause: error });
        tellResults.push(() => unit.fail(error));
      }
    }
    return tellResults;
  };
}

/**
 * Runs each unit after a savepoint, to which a failed unit is undone. The parts of a failed unit are added to the queue.
 */
function guarded(connection: Connection, statements: Statements): RunAll {
  return async (queue) => {
    const tellResults: TellResult[] = [];
    await connection.exec("SAVEPOINT unit");
    for (const unit of queue) {
      const failure = await failureOf(unit, statements);
      if (failure === undefined) {
        tellResults.push(() => unit.succeed());
        await connection.exec("RELEASE unit; SAVEPOINT unit");
        continue;
      }
      await undo(connection, failure);
      const parts = unit.parts();
      if (parts.length === 0) tellResults.push(() => unit.fail(failure.cause));
      queue.push(...parts);
    }
    return tellResults;
  };
}

/** Runs a unit. Gives the error if it failed; undefined if it succeeded. */
async function failureOf(unit: Unit, statements: Statements): Promise<{ cause: unknown } | undefined> {
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

/** The statements of a SQLite connection, as units use them. SQLite has one writer, so `lock` has nothing to do. */
function statementsOf(connection: StatementRunner): Statements {
  return {
    engine: "sqlite",
    get: (sql, ...values) => connection.get(sql, values),
    all: (sql, ...values) => connection.all(sql, values),
    run: (sql, ...values) => connection.run(sql, values),
    lock: async () => false,
  };
}
