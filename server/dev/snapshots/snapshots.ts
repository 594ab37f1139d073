import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "../../../src/contract/errors.ts";
import { type ReceivedFile, receivedFile } from "../../../src/contract/files/received-file.ts";
import type { Deps } from "../../deps.ts";
import { dumpRows } from "../../store/deployment/dump.ts";
import { replaceRows } from "../../store/deployment/replace-rows.ts";
import { withSnapshot } from "../../store/deployment/snapshot.ts";
import { tablesOf } from "../../store/deployment/tables.ts";
import type { Reader } from "../../store/engine/database.ts";
import { appliedMigrations } from "../../store/engine/migrations/migrate.ts";
import { storedFiles } from "../../store/requests/uploads.ts";
import type { MovableClock } from "../movable-clock.ts";
import {
  createDraft,
  findSnapshot,
  listSnapshots,
  type SnapshotDraft,
  type SnapshotFacts,
  type SnapshotFolder,
} from "./snapshot-files.ts";

type SnapshotDeps = Pick<Deps, "database" | "files" | "keptFiles" | "settings">;

/** Copies of database, files and clock by name, in the data folder. (rule O14) */
export function createSnapshots(deps: SnapshotDeps, clock: MovableClock) {
  const folder = join(deps.settings.data, "snapshots");
  const scratch = join(folder, ".scratch");
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: two of the same name would write the same files. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };

  async function save(name: string): Promise<SnapshotFacts> {
    await rm(scratch, { recursive: true, force: true });
    await mkdir(scratch, { recursive: true, mode: 0o700 });
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
    const snapshot = await findSnapshot(folder, name);
    const facts = await snapshot.facts();
    const present = (await appliedMigrations(deps.database)).map(({ number }) => number);
    if (JSON.stringify(present) !== JSON.stringify(facts.migrations)) throw otherVersion(name);
    const old = await replace(deps, snapshot);
    clock.setOffset(Date.parse(facts.now) - Date.now());
    await deps.keptFiles.removeUnreferenced(old);
    return facts;
  }

  return {
    list: () => listSnapshots(folder),
    /** Saves the present state under a name, in place of an older one. */
    save: (name: string) => inTurn(() => save(name)),
    /** Makes the state that of a snapshot. Throws `not_found`, and `wrong_state` for one of another version. */
    load: (name: string) => inTurn(() => load(name)),
  };
}

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

/** Puts the files back, then replaces all rows in one transaction. Gives the files of the old rows. */
async function replace(
  { database, files, keptFiles }: SnapshotDeps,
  snapshot: SnapshotFolder,
): Promise<string[]> {
  const received: ReceivedFile[] = [];
  try {
    for (const sha256 of await snapshot.hashes()) {
      const temporary = files.createTemporary(Number.MAX_SAFE_INTEGER);
      for await (const chunk of snapshot.bytesOf(sha256)) temporary.write(chunk);
      const written = await temporary.finish();
      received.push(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
    }
    return await keptFiles.keepFor(received, () =>
      database.write(async (tx) => {
        await keptFiles.secure(tx, received);
        const loaded = new Set((await tablesOf(tx)).map(({ name }) => name));
        return replaceRows(tx, (table) => (loaded.has(table.name) ? snapshot.rowsOf(table.name) : none()));
      }, "long"),
    );
  } finally {
    await files.dropTemporary(received.map(({ path }) => path));
  }
}

async function* none(): AsyncGenerator<readonly string[]> {}
