import { createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import * as z from "zod/mini";
import { ApiError } from "../../src/contract/errors.ts";
import { givenInstant } from "../../src/contract/fields.ts";
import { type ReceivedFile, receivedFile } from "../../src/contract/files.ts";
import { jsonIn } from "../../src/contract/json.ts";
import { dumpRows, replaceRows, type Table, tablesOf, withSnapshot } from "../backup/store.ts";
import type { Reader } from "../database/database.ts";
import { isConflict, isDangling } from "../database/errors.ts";
import { appliedMigrations } from "../database/migrate.ts";
import type { Deps } from "../deps.ts";
import type { Files } from "../files/files.ts";
import { storedFiles } from "../files/store.ts";
import { orUnavailableLater } from "../files/temporary-files.ts";
import { type MovableClock, targetOf } from "./clock.ts";

type SnapshotDeps = Pick<Deps, "database" | "files" | "keptFiles" | "settings" | "log">;

/**
 * Creates the functions for snapshots of database, files and clock. Calls of these functions must not overlap.
 * (rule O14)
 */
export function createSnapshots(deps: SnapshotDeps, clock: MovableClock) {
  const folder = join(deps.settings.data, "snapshots");
  const scratch = join(folder, scratchName);
  const tidied = tidySnapshots(folder).catch((error) =>
    deps.log.warn({ err: error }, "temporary folders of snapshots could not be deleted"),
  );

  async function save(name: string): Promise<SnapshotFacts> {
    await tidied;
    await rm(scratch, { recursive: true, force: true });
    await orUnavailableLater(mkdir(scratch, { recursive: true, mode: 0o700 }));
    const draft = await createDraft(folder, name);
    const now = clock.now().toISOString();
    try {
      return await withSnapshot(deps.database, scratch, (reader) => fill(draft, reader, deps, name, now));
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
    /** Saves the current state under a name, and replaces an older snapshot with that name. */
    save,
    /**
     * Replaces the current state with a snapshot. Throws `not_found`, or `wrong_state` if the snapshot is
     * damaged or of another version.
     */
    load: (name: string) => load(name).catch((error) => Promise.reject(refusalOf(error, name))),
  };
}

/** Returns the time of a snapshot. Throws SnapshotDamaged for a time that the clock cannot have. */
function timeOf({ now }: SnapshotFacts): Date {
  try {
    return targetOf({ set: now }, new Date());
  } catch {
    throw new SnapshotDamaged(`${now} is not a time that a server can have`);
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

async function fill(
  draft: SnapshotDraft,
  reader: Reader,
  deps: SnapshotDeps,
  name: string,
  now: string,
): Promise<SnapshotFacts> {
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
 * Restores all files and rows. Returns the old files' hashes. Changes nothing and throws SnapshotDamaged for a
 * changed snapshot.
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
    if (isConflict(error) || isDangling(error)) throw new SnapshotDamaged("its rows do not match each other");
    throw error;
  } finally {
    await files.dropTemporary(received.map(({ path }) => path));
  }
}

/** Checks all rows of a snapshot before the database is locked. Throws SnapshotDamaged if they have changed. */
async function assertRows(tables: readonly Table[], snapshot: SnapshotFolder, facts: SnapshotFacts) {
  let rows = 0;
  for (const { name, columns } of tables)
    for await (const lines of snapshot.rowsOf(name)) {
      if (lines.some((line) => JSON.parse(line).length !== columns.length))
        throw new SnapshotDamaged(`${name} contains a row of another table`);
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
    if (written.sha256 !== sha256) throw new SnapshotDamaged(`${sha256} has other content`);
    return receivedFile({ ...written, declaredType: null, name: null, fault: null });
  } catch (error) {
    temporary.drop();
    throw error;
  }
}

async function* none(): AsyncGenerator<readonly string[]> {}

const Facts = z.object({
  /** The server's time when the snapshot was saved. */
  now: givenInstant,
  rows: z.int(),
  files: z.int(),
  /** The numbers of the migrations that had been applied to the saved database. */
  migrations: z.array(z.int()),
});

/** The name of a snapshot, and the content of its `snapshot.json`. */
export interface SnapshotFacts extends z.output<typeof Facts> {
  readonly name: string;
}

/** A folder with a snapshot: its facts, a file of rows for each table, and the files. */
interface SnapshotFolder {
  readonly facts: () => Promise<SnapshotFacts>;
  readonly rowsOf: (table: string) => AsyncIterable<readonly string[]>;
  readonly hashes: () => Promise<string[]>;
  readonly bytesOf: (sha256: string) => AsyncIterable<Buffer>;
}

const batch = 100;

const hash = /^[0-9a-f]{64}$/;

/** The error for a snapshot whose files were changed after it was saved. */
class SnapshotDamaged extends Error {
  constructor(cause: string) {
    super(cause);
    this.name = "SnapshotDamaged";
  }
}

/** Returns the functions that read a snapshot. They throw SnapshotDamaged if its files have changed. */
const snapshotFolder = (snapshots: string, name: string): SnapshotFolder => {
  const folder = join(snapshots, name);
  return {
    async facts() {
      if (!(await kindOf(folder))?.isDirectory()) throw new SnapshotDamaged(`${name} is not a folder`);
      const facts = Facts.safeParse(await readJson(join(folder, "snapshot.json")));
      if (!facts.success) throw new SnapshotDamaged("snapshot.json has faults");
      return { ...facts.data, name };
    },
    rowsOf: (table) => batchesIn(join(folder, "rows", `${table}.ndjson`)),
    async hashes() {
      const names = await readdir(join(folder, "files")).catch(() => undefined);
      const foreign = names === undefined ? "files" : names.find((one) => !hash.test(one));
      if (names === undefined || foreign !== undefined) throw new SnapshotDamaged(`${foreign} is not a file`);
      return names;
    },
    async *bytesOf(sha256) {
      const file = join(folder, "files", sha256);
      await assertFile(file);
      yield* createReadStream(file);
    },
  };
};

const kindOf = (path: string) => lstat(path).catch(() => undefined);

/** Throws SnapshotDamaged if the path is no plain file. A link could lead to any file or device. */
async function assertFile(path: string): Promise<void> {
  if (!(await kindOf(path))?.isFile()) throw new SnapshotDamaged(`${path} is not a file`);
}

async function readJson(file: string): Promise<unknown> {
  await assertFile(file);
  return jsonIn(await readFile(file, "utf8"));
}

async function* batchesIn(file: string): AsyncGenerator<string[]> {
  await assertFile(file);
  let lines: string[] = [];
  for await (const line of createInterface(createReadStream(file))) {
    if (!Array.isArray(jsonIn(line))) throw new SnapshotDamaged(`${file} has a line that is not a row`);
    lines.push(line);
    if (lines.length < batch) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}

/** A snapshot that is being written. At the end, it replaces the older snapshot of this name in one step. */
interface SnapshotDraft {
  readonly addRows: (table: string, batches: AsyncIterable<readonly string[]>) => Promise<void>;
  /** Adds a stored file to the snapshot. Returns false if the file does not exist. */
  readonly addFile: (files: Files, sha256: string) => Promise<boolean>;
  readonly finish: (facts: SnapshotFacts) => Promise<void>;
  /** Deletes the draft if it is not finished. */
  readonly abandon: () => Promise<void>;
}

const writable = { mode: 0o600 } as const;

/** Begins a snapshot. The functions of the draft throw FilesUnavailable if the disk is full. */
async function createDraft(snapshots: string, name: string): Promise<SnapshotDraft> {
  const draft = join(snapshots, `.${name}${draftEnding}`);
  await rm(draft, { recursive: true, force: true });
  for (const part of ["rows", "files"]) await mkdir(join(draft, part), { recursive: true, mode: 0o700 });
  return {
    addRows: (table, batches) => {
      const file = createWriteStream(join(draft, "rows", `${table}.ndjson`), writable);
      return orUnavailableLater(pipeline(linesOf(batches), file));
    },
    async addFile(files, sha256) {
      if ((await files.size(sha256)) === undefined) return false;
      const file = createWriteStream(join(draft, "files", sha256), writable);
      await orUnavailableLater(pipeline(await files.open(sha256), file));
      return true;
    },
    async finish(facts) {
      await orUnavailableLater(writeFile(join(draft, "snapshot.json"), JSON.stringify(facts), writable));
      const [target, old] = [join(snapshots, name), join(snapshots, `.${name}${oldEnding}`)];
      await rm(old, { recursive: true, force: true });
      if (await kindOf(target)) await rename(target, old);
      await rename(draft, target);
      await rm(old, { recursive: true, force: true });
    },
    abandon: () => rm(draft, { recursive: true, force: true }),
  };
}

const [draftEnding, oldEnding] = [".draft", ".old"];

/**
 * Cleans up after a killed server: restores the snapshot that the server was replacing, and removes temporary folders.
 */
async function tidySnapshots(snapshots: string): Promise<void> {
  const names = await readdir(snapshots).catch((): string[] => []);
  for (const hidden of names.filter((name) => name.startsWith(".") && name.endsWith(oldEnding))) {
    const name = hidden.slice(1, -oldEnding.length);
    if (!names.includes(name)) await rename(join(snapshots, hidden), join(snapshots, name));
  }
  const leftOver = (name: string) =>
    name === scratchName ||
    (name.startsWith(".") && [draftEnding, oldEnding].some((end) => name.endsWith(end)));
  for (const name of names.filter(leftOver))
    await rm(join(snapshots, name), { recursive: true, force: true });
}

/** The folder for the copy of the database while a snapshot is saved. */
const scratchName = ".scratch";

async function* linesOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of batches) yield `${lines.join("\n")}\n`;
}

/** Returns the facts of all snapshots that are not damaged, in the order of their names. */
async function listSnapshots(snapshots: string): Promise<SnapshotFacts[]> {
  const names = await readdir(snapshots).catch((): string[] => []);
  const shown = names.filter((name) => !name.startsWith(".")).sort();
  const facts = shown.map((name) =>
    snapshotFolder(snapshots, name)
      .facts()
      .catch(() => []),
  );
  return (await Promise.all(facts)).flat();
}

/** Returns the snapshot with this name. Throws `not_found` if there is no such snapshot. */
async function findSnapshot(snapshots: string, name: string): Promise<SnapshotFolder> {
  const names = await readdir(snapshots).catch((): string[] => []);
  if (!names.includes(name))
    throw new ApiError("not_found", { message: `There is no snapshot with the name ${name}.` });
  return snapshotFolder(snapshots, name);
}
