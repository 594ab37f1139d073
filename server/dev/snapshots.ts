import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "../../src/contract/errors.ts";
import { type ReceivedFile, receivedFile } from "../../src/contract/received-file.ts";
import { dumpRows } from "../backup/dump.ts";
import { replaceRows } from "../backup/replace-rows.ts";
import { withSnapshot } from "../backup/snapshot.ts";
import { type Table, tablesOf } from "../backup/store.ts";
import type { Reader } from "../database/database.ts";
import { isConflict, isDangling } from "../database/errors.ts";
import { appliedMigrations } from "../database/migrate.ts";
import type { Deps } from "../deps.ts";
import { orUnavailableLater } from "../files/temporary-files.ts";
import { storedFiles } from "../files/uploads-store.ts";
import type { MovableClock } from "./clock.ts";
import { targetOf } from "./clock-move.ts";
import {
  createDraft,
  findSnapshot,
  listSnapshots,
  SnapshotDamaged,
  type SnapshotDraft,
  type SnapshotFacts,
  type SnapshotFolder,
  scratchName,
  tidySnapshots,
} from "./snapshot-files.ts";

type SnapshotDeps = Pick<Deps, "database" | "files" | "keptFiles" | "settings" | "log">;

/**
 * Copies of database, files and clock by name, in the data folder. Call one function at a time: two that save the same name
 * would write the same files. (rule O14)
 */
export function createSnapshots(deps: SnapshotDeps, clock: MovableClock) {
  const folder = join(deps.settings.data, "snapshots");
  const scratch = join(folder, scratchName);
  const tidied = tidySnapshots(folder).catch((error) =>
    deps.log.warn({ err: error }, "old snapshots remain"),
  );

  async function save(name: string): Promise<SnapshotFacts> {
    await tidied;
    await rm(scratch, { recursive: true, force: true });
    await orUnavailableLater(mkdir(scratch, { recursive: true, mode: 0o700 }));
    const draft = await createDraft(folder, name);
    const now = clock.now().toISOString();
    try {
      return await withSnapshot(deps.database, scratch, (reader) => fill(draft, { reader, deps, name, now }));
    } finally {
      await draft.abandon();
      await rm(scratch, { recursive: true, force: true });
    }
  }

  async function load(name: string): Promise<SnapshotFacts> {
    await tidied;
    const snapshot = await findSnapshot(folder, name);
    const facts = await snapshot.facts();
    const time = timeOf(facts);
    const present = (await appliedMigrations(deps.database)).map(({ number }) => number);
    if (JSON.stringify(present) !== JSON.stringify(facts.migrations)) throw otherVersion(name);
    const old = await replace(deps, snapshot, facts);
    clock.setOffset(time.getTime() - Date.now());
    await deps.keptFiles.removeUnreferenced(old);
    return facts;
  }

  return {
    list: async () => tidied.then(() => listSnapshots(folder)),
    /** Saves the present state under a name, in place of an older one. */
    save,
    /** Makes the state that of a snapshot. Throws `not_found`, and `wrong_state` for one of another version or a damaged one. */
    load: (name: string) => load(name).catch((error) => Promise.reject(refusalOf(error, name))),
  };
}

/** Throws SnapshotDamaged for a time to which no clock is moved. */
function timeOf({ now }: SnapshotFacts): Date {
  try {
    return targetOf({ set: now }, new Date());
  } catch {
    throw new SnapshotDamaged(`${now} is no time of a server`);
  }
}

const refusalOf = (error: unknown, name: string): unknown =>
  error instanceof SnapshotDamaged
    ? new ApiError(
        "wrong_state",
        { message: `The snapshot ${name} is damaged. Delete its folder, and save a new one.` },
        { cause: error },
      )
    : error;

const otherVersion = (name: string) =>
  new ApiError("wrong_state", {
    message: `The snapshot ${name} was saved by another version of Innkeep. Save a new one.`,
  });

interface Filling {
  readonly reader: Reader;
  readonly deps: SnapshotDeps;
  readonly name: string;
  readonly now: string;
}

async function fill(draft: SnapshotDraft, { reader, deps, name, now }: Filling): Promise<SnapshotFacts> {
  let [rows, files] = [0, 0];
  async function* counted(batches: AsyncIterable<readonly string[]>) {
    for await (const lines of batches) {
      rows += lines.length;
      yield lines;
    }
  }
  for (const table of await tablesOf(reader))
    await draft.addRows(table.name, counted(dumpRows(reader, table)));
  for await (const { sha256 } of storedFiles(reader)) if (await draft.addFile(deps.files, sha256)) files += 1;
  const migrations = (await appliedMigrations(reader)).map(({ number }) => number);
  const facts = { name, now, rows, files, migrations };
  await draft.finish(facts);
  return facts;
}

/**
 * Puts the files back, then replaces all rows in one transaction. Gives the files of the old rows. Throws SnapshotDamaged if
 * the snapshot does not hold what it was saved with; then nothing has changed.
 */
async function replace(
  { database, files, keptFiles }: SnapshotDeps,
  snapshot: SnapshotFolder,
  facts: SnapshotFacts,
): Promise<string[]> {
  const received: ReceivedFile[] = [];
  try {
    for (const sha256 of await snapshot.hashes()) received.push(await receive(files, snapshot, sha256));
    if (received.length !== facts.files) throw new SnapshotDamaged("files are missing");
    await assertRows(await tablesOf(database), snapshot, facts);
    return await keptFiles.keepFor(received, () =>
      database.write(async (tx) => {
        await keptFiles.secure(tx, received);
        const loaded = new Set((await tablesOf(tx)).map(({ name }) => name));
        return replaceRows(tx, ({ name }) => (loaded.has(name) ? snapshot.rowsOf(name) : none()));
      }, "long"),
    );
  } catch (error) {
    if (isConflict(error) || isDangling(error)) throw new SnapshotDamaged("its rows do not fit together");
    throw error;
  } finally {
    await files.dropTemporary(received.map(({ path }) => path));
  }
}

/** Looks at all rows before the database is locked. */
async function assertRows(tables: readonly Table[], snapshot: SnapshotFolder, facts: SnapshotFacts) {
  let rows = 0;
  for (const { name, columns } of tables)
    for await (const lines of snapshot.rowsOf(name)) {
      if (lines.some((line) => JSON.parse(line).length !== columns.length))
        throw new SnapshotDamaged(`${name} has a row of another table`);
      rows += lines.length;
    }
  if (rows !== facts.rows) throw new SnapshotDamaged("rows are missing");
}

async function receive(
  files: Deps["files"],
  snapshot: SnapshotFolder,
  sha256: string,
): Promise<ReceivedFile> {
  const temporary = files.createTemporary(Number.MAX_SAFE_INTEGER);
  try {
    for await (const chunk of snapshot.bytesOf(sha256)) temporary.write(chunk);
    const written = await temporary.finishUnchanged();
    if (written.sha256 !== sha256) throw new SnapshotDamaged(`${sha256} has another content`);
    return receivedFile({ ...written, declaredType: null, name: null, fault: null });
  } catch (error) {
    temporary.drop();
    throw error;
  }
}

async function* none(): AsyncGenerator<readonly string[]> {}
