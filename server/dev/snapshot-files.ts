import { createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import * as z from "zod/mini";
import { ApiError } from "../../src/contract/errors.ts";
import { givenInstant } from "../../src/contract/fields.ts";
import type { Files } from "../files/files.ts";
import { orUnavailableLater } from "../files/temporary-files.ts";

const Facts = z.object({
  /** The server's time when it was saved. */
  now: givenInstant,
  rows: z.int(),
  files: z.int(),
  /** The numbers of the migrations that its database had. */
  migrations: z.array(z.int()),
});

/** What a snapshot says of itself, and its name. */
export interface SnapshotFacts extends z.output<typeof Facts> {
  readonly name: string;
}

/** A folder with a snapshot: its facts, a file of rows for each table, and the files that the rows refer to. */
export interface SnapshotFolder {
  readonly facts: () => Promise<SnapshotFacts>;
  readonly rowsOf: (table: string) => AsyncIterable<readonly string[]>;
  readonly hashes: () => Promise<string[]>;
  readonly bytesOf: (sha256: string) => AsyncIterable<Buffer>;
}

const batch = 100;
const hash = /^[0-9a-f]{64}$/;

/** The cause of a refusal: something has changed the files of a snapshot. */
export class SnapshotDamaged extends Error {
  constructor(cause: string) {
    super(cause);
    this.name = "SnapshotDamaged";
  }
}

/** All functions throw SnapshotDamaged for what no server has saved. */
const snapshotFolder = (snapshots: string, name: string): SnapshotFolder => {
  const folder = join(snapshots, name);
  return {
    async facts() {
      if (!(await kindOf(folder))?.isDirectory()) throw new SnapshotDamaged(`${name} is not a folder`);
      const facts = Facts.safeParse(await jsonIn(join(folder, "snapshot.json")));
      if (!facts.success) throw new SnapshotDamaged("snapshot.json has faults");
      return { ...facts.data, name };
    },
    rowsOf: (table) => batchesIn(join(folder, "rows", `${table}.ndjson`)),
    async hashes() {
      const names = await readdir(join(folder, "files")).catch(() => undefined);
      const foreign = names === undefined ? "files" : names.find((one) => !hash.test(one));
      if (names === undefined || foreign !== undefined) throw new SnapshotDamaged(`${foreign} is no file`);
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

/** A link may lead to what never ends, or to files of other programs. */
async function assertFile(path: string): Promise<void> {
  if (!(await kindOf(path))?.isFile()) throw new SnapshotDamaged(`${path} is not a file`);
}

async function jsonIn(file: string): Promise<unknown> {
  await assertFile(file);
  const text = await readFile(file, "utf8");
  return jsonOf(text);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* batchesIn(file: string): AsyncGenerator<string[]> {
  await assertFile(file);
  let lines: string[] = [];
  for await (const line of createInterface(createReadStream(file))) {
    if (!Array.isArray(jsonOf(line))) throw new SnapshotDamaged(`${file} has a line that is not a row`);
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

const writable = { mode: 0o600 } as const;

/** Begins a snapshot in the folder of all snapshots. Its functions throw FilesUnavailable if the disk is full. */
export async function createDraft(snapshots: string, name: string): Promise<SnapshotDraft> {
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

/** Brings back what a killed server was about to replace, and removes what it has left. */
export async function tidySnapshots(snapshots: string): Promise<void> {
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
export const scratchName = ".scratch";

async function* linesOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of batches) yield `${lines.join("\n")}\n`;
}

/** The facts of all snapshots, in the order of their names; without those that are damaged. */
export async function listSnapshots(snapshots: string): Promise<SnapshotFacts[]> {
  const names = await readdir(snapshots).catch((): string[] => []);
  const shown = names.filter((name) => !name.startsWith(".")).sort();
  const facts = shown.map((name) =>
    snapshotFolder(snapshots, name)
      .facts()
      .catch(() => []),
  );
  return (await Promise.all(facts)).flat();
}

/** The snapshot with this name. Throws `not_found` if there is none. */
export async function findSnapshot(snapshots: string, name: string): Promise<SnapshotFolder> {
  const names = await readdir(snapshots).catch((): string[] => []);
  if (!names.includes(name))
    throw new ApiError("not_found", { message: `There is no snapshot with the name ${name}.` });
  return snapshotFolder(snapshots, name);
}
