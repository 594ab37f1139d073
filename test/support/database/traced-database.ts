import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Database, Transaction, Value } from "../../../server/database/database.ts";
import type { TestEngine } from "./databases.ts";

/** A statement with its values. */
export interface RanStatement {
  readonly sql: string;
  readonly values: readonly Value[];
}

export interface TracedDatabase {
  readonly engine: TestEngine;
  /**
   * The statements that the databases of this engine ran meanwhile, in order, except those of background jobs and those
   * that record the last use of an app key. If the work itself ran statements, only these are returned.
   */
  during(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** The same statements with their values. */
  statementsOf(work: () => Promise<unknown>): Promise<readonly RanStatement[]>;
}

/** It runs once an hour, and no request waits for it. */
const touch = /UPDATE app_keys SET last_used_at/;

const background = new AsyncLocalStorage<true>();
/** Starts a background job. Its statements are not recorded, because nobody can say when they run. */
export const inBackground = <Started>(start: () => Started): Started => background.run(true, start);

/** An engine that records the statements of its databases. */
export function tracedDatabase(engine: TestEngine): TracedDatabase {
  const ran: (RanStatement & { readonly work?: object | undefined })[] = [];
  const works = new AsyncLocalStorage<object>();
  const noteOfCaller = () => {
    if (background.getStore()) return () => {};
    const work = works.getStore();
    return (sql: string, values: readonly Value[]) => void ran.push({ sql, values, work });
  };
  const traced = (database: Database): Database => ({
    ...tracedReads(database, (sql, values) => noteOfCaller()(sql, values)),
    // A request that signals must not run the jobs that it wakes in its own context.
    onSignal: (listener) => database.onSignal(AsyncResource.bind(listener)),
    write: (work) => {
      // A group commit runs `work` in the context of another caller.
      const note = noteOfCaller();
      return database.write((tx) => work(tracedReads(tx, note)));
    },
  });
  async function statementsOf(work: () => Promise<unknown>): Promise<readonly RanStatement[]> {
    const before = ran.length;
    const own = {};
    await works.run(own, work);
    const meanwhile = ran.slice(before).filter(({ sql }) => !touch.test(sql));
    const ownOnes = meanwhile.filter((statement) => statement.work === own);
    return ownOnes.length > 0 ? ownOnes : meanwhile;
  }
  return {
    engine: {
      ...engine,
      async create() {
        const real = await engine.create();
        return { ...real, open: async (options) => traced(await real.open(options)) };
      },
    },
    statementsOf,
    during: async (work) => (await statementsOf(work)).map(({ sql }) => sql),
  };
}

function tracedReads<Statements extends Database | Transaction>(
  statements: Statements,
  note: (sql: string, values: readonly Value[]) => void,
): Statements {
  return {
    ...statements,
    get: <Row extends object>(sql: string, ...values: Value[]) => {
      note(sql, values);
      return statements.get<Row>(sql, ...values);
    },
    all: <Row extends object>(sql: string, ...values: Value[]) => {
      note(sql, values);
      return statements.all<Row>(sql, ...values);
    },
    ...("run" in statements
      ? {
          run: (sql: string, ...values: Value[]) => {
            note(sql, values);
            return statements.run(sql, ...values);
          },
        }
      : {}),
  };
}
