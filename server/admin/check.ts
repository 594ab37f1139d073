import { strayFiles } from "../background/stray-files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { integrityFaults } from "../store/deployment/integrity.ts";
import type { Database } from "../store/engine/database.ts";
import { migrations } from "../store/engine/migrations/all-migrations.ts";
import { isCurrent } from "../store/engine/migrations/migrate.ts";
import { type DeploymentPlace, filesFolder } from "./deployment-place.ts";
import { readStoredFiles } from "./stored-files.ts";

export interface Checked {
  readonly ok: true;
  readonly files: number;
  /** Files to which nothing refers. The server deletes them within a day. */
  readonly orphans: number;
}

/** Reads everything there is. Gives how many files it read; throws a sentence with all that is wrong. */
export async function checkAll(database: Database, place: DeploymentPlace): Promise<Checked> {
  const faults = await integrityFaults(database);
  if (!(await isCurrent(database, migrations)))
    faults.push("The schema is older than this program. Run `innkeep admin migrate`.");
  const files = createLocalFiles(filesFolder(place));
  const stored = await readStoredFiles(database, files);
  faults.push(...stored.faults.map(({ text }) => text));
  if (stored.faults.length > 0) faults.push("`innkeep admin repair` removes what refers to these files.");
  let orphans = 0;
  for await (const strays of strayFiles(database, files)) orphans += strays.length;
  if (faults.length === 0) return { ok: true, files: stored.count, orphans };
  throw new Error(`The check found faults:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
}
