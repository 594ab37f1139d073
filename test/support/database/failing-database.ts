import type { Database, Value } from "../../../server/database/database.ts";
import type { TestDatabase, TestEngine } from "./databases.ts";

export interface FailingDatabase extends TestDatabase {
  /** Every statement, or every write, fails with this error until the fault is cleared. */
  trouble(error: Error, what?: "everything" | "writes"): void;
  over(): void;
}

/** A separate database that fails on demand. */
export async function failingDatabase(engine: TestEngine): Promise<FailingDatabase> {
  const real = await engine.create();
  const failing: { read?: Error; write?: Error } = {};
  const pass = async (how: "read" | "write") => {
    if (failing[how]) throw failing[how];
  };
  const guarded = (database: Database): Database => ({
    ...database,
    async get<Row extends object>(sql: string, ...values: Value[]) {
      await pass("read");
      return database.get<Row>(sql, ...values);
    },
    async all<Row extends object>(sql: string, ...values: Value[]) {
      await pass("read");
      return database.all<Row>(sql, ...values);
    },
    insert: (table, row) => pass("write").then(() => database.insert(table, row)),
    write: (work) => pass("write").then(() => database.write(work)),
  });
  return {
    ...real,
    open: async (options) => guarded(await real.open(options)),
    trouble(error, what = "everything") {
      failing.write = error;
      if (what === "everything") failing.read = error;
    },
    over() {
      delete failing.read;
      delete failing.write;
    },
  };
}

/** The error of a driver when the database cannot be reached. */
export const unreachable = () =>
  Object.assign(new Error("connect ECONNREFUSED 10.1.2.3:5432"), { code: "ECONNREFUSED" });
