import type { Database, Transaction, Value } from "../../../server/store/engine/database.ts";
import type { TestEngine } from "./databases.ts";

export interface TracedDatabase {
  readonly engine: TestEngine;
  /** The statements that the databases of this engine ran meanwhile, in order, except those that record an app key's last hour. */
  during(work: () => Promise<unknown>): Promise<readonly string[]>;
}

/** Runs once an hour, and no request waits for it. */
const touch = /UPDATE app_keys SET last_used_at/;

/** An engine that records the statements of its databases. */
export function tracedDatabase(engine: TestEngine): TracedDatabase {
  const ran: string[] = [];
  const traced = (database: Database): Database => ({
    ...tracedReads(database, (sql) => ran.push(sql)),
    write: (work) => database.write((tx) => work(tracedReads(tx, (sql) => ran.push(sql)))),
  });
  return {
    engine: {
      ...engine,
      async create() {
        const real = await engine.create();
        return { ...real, open: async (options) => traced(await real.open(options)) };
      },
    },
    async during(work) {
      const before = ran.length;
      await work();
      return ran.slice(before).filter((sql) => !touch.test(sql));
    },
  };
}

function tracedReads<Statements extends Database | Transaction>(
  statements: Statements,
  note: (sql: string) => void,
): Statements {
  return {
    ...statements,
    get: <Row extends object>(sql: string, ...values: Value[]) => {
      note(sql);
      return statements.get<Row>(sql, ...values);
    },
    all: <Row extends object>(sql: string, ...values: Value[]) => {
      note(sql);
      return statements.all<Row>(sql, ...values);
    },
    ...("run" in statements
      ? {
          run: (sql: string, ...values: Value[]) => {
            note(sql);
            return statements.run(sql, ...values);
          },
        }
      : {}),
  };
}
