import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../../server/database/database.ts";
import { isUnavailable } from "../../../server/database/errors.ts";
import { openDatabase } from "../../../server/database/open.ts";

/**
 * Writes endlessly, 16 rows at a time, and prints the id of each row after its commit. Ignores a write that fails
 * because the database is unavailable. Any other failure ends the program.
 */
async function load(): Promise<void> {
  const { address, migrations, name } = JSON.parse(process.env.LOAD ?? "{}");
  const database = await openDatabase(address, { migrations });
  let count = 0;
  const next = () => `${name} ${count++}`;
  await Promise.all(Array.from({ length: 16 }, () => writeForEver(database, next)));
}

async function writeForEver(database: Database, next: () => string): Promise<never> {
  for (;;) {
    try {
      await acknowledged(next(), (id) => database.insert("singles", { id }));
      await acknowledged(next(), (id) => writeBothHalves(database, id));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await sleep(10);
    }
  }
}

async function acknowledged(id: string, write: (id: string) => Promise<void>): Promise<void> {
  await write(id);
  process.stdout.write(`${id}\n`);
}

function writeBothHalves(database: Database, id: string): Promise<void> {
  return database.write(async (tx) => {
    await tx.insert("left_halves", { id });
    await tx.insert("right_halves", { id });
  });
}

load().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
