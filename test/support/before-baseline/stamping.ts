import { systemClock } from "../../../server/clock.ts";
import { baseline } from "../../../server/database/migrations.ts";
import { openDatabase } from "../../../server/database/open.ts";

// They run long enough for a test to kill this program. PostgreSQL continues a statement of a killed program.
const slow = {
  sqlite: [
    "WITH RECURSIVE n AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM n WHERE n < 1e12) SELECT count(*) FROM n",
  ],
  postgres: ["SELECT pg_sleep(3)"],
};

/** Opens a database with the baseline and two migrations. Prints a line when the slow one begins. */
async function stamp(): Promise<void> {
  const { address } = JSON.parse(process.env.STAMPING ?? "{}");
  let noted = 0;
  await openDatabase(address, {
    migrations: [
      baseline,
      { number: baseline.number + 1, name: "begun", statements: ["CREATE TABLE begun (id TEXT)"] },
      { number: baseline.number + 2, name: "slow", statements: slow },
    ],
    clock: {
      ...systemClock,
      now() {
        noted += 1;
        if (noted === 2) process.stdout.write("begun\n");
        return new Date();
      },
    },
  });
}

stamp().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
