import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Files } from "../../files/files.ts";

/** What a snapshot says of itself. */
export interface SnapshotFacts {
  readonly name: string;
  /** The server's time when it was saved. */
  readonly now: string;
  readonly rows: number;
  readonly files: number;
  /** The numbers of the migrations that its database had. */
  readonly migrations: readonly number[];
}

/** A folder with a snapshot: its facts, a file of rows for each table, and the files that the rows refer to. */
export interface SnapshotFolder {
  readonly facts: () => Promise<SnapshotFacts>;
  readonly rowsOf: (table: string) => AsyncIterable<readonly string[]>;
  readonly hashes: () => Promise<string[]>;
  readonly bytesOf: (sha256: string) => AsyncIterable<Buffer>;
}

const batch = 100;

export const snapshotFolder = (folder: string): SnapshotFolder => ({
  facts: async () => JSON.parse(await readFile(join(folder, "snapshot.json"), "utf8")),
  rowsOf: (table) => batchesIn(join(folder, "rows", `${table}.ndjson`)),
  hashes: () => readdir(join(folder, "files")),
  bytesOf: (sha256) => createReadStream(join(folder, "files", sha256)),
});

async function* batchesIn(file: string): AsyncGenerator<string[]> {
  let lines: string[] = [];
  for await (const line of createInterface(createReadStream(file))) {
    lines.push(line);
    if (lines.length < batch) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}

/** A snapshot that is being written. It replaces an older one of its name at the end, as a whole. */
export interface SnapshotDraft {
  readonly addRows: (table: string, batches: AsyncIterable<readonly string[]>) => Promise<void>;
  /** Gives false if there is no such file. */
  readonly addFile: (files: Files, sha256: string) => Promise<boolean>;
  readonly finish: (facts: SnapshotFacts) => Promise<void>;
  /** Removes it unless it is finished. */
  readonly abandon: () => Promise<void>;
}

/** Begins a snapshot in the folder of all snapshots. */
export async function createDraft(snapshots: string, name: string): Promise<SnapshotDraft> {
  const draft = join(snapshots, `.${name}.draft`);
  await rm(draft, { recursive: true, force: true });
  for (const part of ["rows", "files"]) await mkdir(join(draft, part), { recursive: true, mode: 0o700 });
  return {
    addRows: (table, batches) =>
      pipeline(linesOf(batches), createWriteStream(join(draft, "rows", `${table}.ndjson`))),
    async addFile(files, sha256) {
      if ((await files.size(sha256)) === undefined) return false;
      await pipeline(await files.open(sha256), createWriteStream(join(draft, "files", sha256)));
      return true;
    },
    async finish(facts) {
      await writeFile(join(draft, "snapshot.json"), JSON.stringify(facts));
      await rm(join(snapshots, name), { recursive: true, force: true });
      await rename(draft, join(snapshots, name));
    },
    abandon: () => rm(draft, { recursive: true, force: true }),
  };
}

async function* linesOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of batches) yield `${lines.join("\n")}\n`;
}

/** The facts of all snapshots, in the order of their names. */
export async function listSnapshots(snapshots: string): Promise<SnapshotFacts[]> {
  const names = await readdir(snapshots).catch((): string[] => []);
  const shown = names.filter((name) => !name.startsWith(".")).sort();
  return Promise.all(shown.map((name) => snapshotFolder(join(snapshots, name)).facts()));
}

/** The snapshot with this name. Throws `not_found` if there is none. */
export async function findSnapshot(snapshots: string, name: string): Promise<SnapshotFolder> {
  const names = await readdir(snapshots).catch((): string[] => []);
  if (!names.includes(name))
    throw new ApiError("not_found", { message: `There is no snapshot with the name ${name}.` });
  return snapshotFolder(join(snapshots, name));
}
