import { existsSync } from "node:fs";
import { chmod, copyFile, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SentFile } from "../../client/send.ts";
import { isMissing, makeFolder } from "../../credentials/folders.ts";
import { systemReason } from "../../words/phrases.ts";
import { usageError } from "../core/cli-error.ts";
import type { Context, Invocation } from "../core/context.ts";

/** Stores items until a server has confirmed them. Each item has a folder that only this user can read. */
export interface Spool<I extends SpooledItem> {
  readonly kind: StoredKind<I>;
  /** Stores an item and copies of its files, or nothing. Returns the item with the copies' paths. */
  keep(item: I): Promise<I>;
  /** Stores the new state of an item. */
  update(item: I): Promise<void>;
  read(id: string): Promise<I | undefined>;
  /** Returns all items, oldest first, and the folders that contain no readable item. */
  list(): Promise<{ readonly items: readonly I[]; readonly damaged: readonly string[] }>;
  drop(id: string): Promise<void>;
  /** Locks an item. Returns the function that unlocks it, or undefined if another running process has the lock. */
  claim(id: string): Promise<(() => Promise<void>) | undefined>;
  folderOf(id: string): string;
}

export function openSpool<I extends SpooledItem>(
  { context, stateFolder }: Invocation,
  kind: StoredKind<I>,
): Spool<I> {
  const root = join(stateFolder, kind.folder);
  const folderOf = (id: string) => join(root, id);
  const unfinishedOf = (id: string) => join(root, `.${id}`);
  const read = async (id: string) => (isId.test(id) ? readItem(kind, folderOf(id)) : undefined);

  return {
    kind,
    async keep(item) {
      const unfinished = unfinishedOf(item.id);
      try {
        await sweep(root, context.clock.now());
        makeFolder(unfinished, 0o700);
        for (const placed of kind.filesOf(item)) await copy(placed, unfinished);
        await writeItem(kind, unfinished, item);
        await rename(unfinished, folderOf(item.id));
      } catch (error) {
        await rm(unfinished, { recursive: true, force: true });
        throw error;
      }
      return (await read(item.id)) ?? item;
    },
    update: (item) => writeItem(kind, folderOf(item.id), item),
    read,
    async list() {
      const ids = (await namesIn(root)).filter((name) => isId.test(name));
      const found = await Promise.all(ids.map(async (id) => ({ id, item: await read(id) })));
      const damaged = found.filter(({ item }) => !item).map(({ id }) => folderOf(id));
      return {
        items: found.flatMap(({ item }) => item ?? []).sort(byAge),
        damaged: damaged.filter(existsSync),
      };
    },
    async drop(id) {
      // The folder is renamed before its files are deleted, so that no other process reads a half-deleted item.
      await rename(folderOf(id), unfinishedOf(id));
      await rm(unfinishedOf(id), { recursive: true, force: true });
    },
    claim: (id) => claim(context, folderOf(id)),
    folderOf,
  };
}

// Matches the folders of complete items. The folder of an incomplete item begins with a dot.
const isId = /^[0-9A-Za-z][0-9A-Za-z-]{0,99}$/;

const fileOf = (kind: { readonly word: string }, folder: string) => join(folder, `${kind.word}.json`);

const dayMs = 86_400_000;

/** Returns the names in a folder; none if it is missing. Throws a usage error if the folder is unreadable. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw usageError(`The folder ${folder} cannot be read (${systemReason(error)}).`);
  }
}

/** Removes incomplete items that are older than a day. The processes that wrote them were killed. */
async function sweep(root: string, now: Date): Promise<void> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith("."));
  for (const path of names.map((name) => join(root, name))) {
    const found = await stat(path).catch(() => undefined);
    if (found && now.getTime() - found.mtimeMs > dayMs) await rm(path, { recursive: true, force: true });
  }
}

async function readItem<I extends SpooledItem>(kind: StoredKind<I>, folder: string): Promise<I | undefined> {
  const text = await readFile(fileOf(kind, folder), "utf8").catch(() => "");
  return kind.itemIn(folder, text);
}

async function writeItem<I extends SpooledItem>(kind: StoredKind<I>, folder: string, item: I): Promise<void> {
  const path = fileOf(kind, folder);
  await writeFile(`${path}.new`, kind.textOf(item), { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

async function copy({ place, file }: FileInPlace, folder: string): Promise<void> {
  const path = join(folder, place);
  if (file.content) await writeFile(path, file.content);
  else await copyFile(file.path, path);
  await chmod(path, 0o600);
  if ((await stat(path)).size !== file.bytes)
    throw new Error(`The file ${file.name} changed while it was read.`);
}

const byAge = (a: SpooledItem, b: SpooledItem) => (a.createdAt < b.createdAt ? -1 : 1);

async function claim(context: Context, folder: string): Promise<(() => Promise<void>) | undefined> {
  const lock = join(folder, "sending");
  if (await isLocked(context, lock)) return undefined;
  await rm(lock, { force: true });
  try {
    await writeFile(lock, String(context.processId), { flag: "wx", mode: 0o600 });
  } catch {
    return undefined;
  }
  return () => rm(lock, { force: true });
}

// No upload takes an hour. An older lock is ignored, because another process may have its process id now.
const staleMs = 3_600_000;

async function isLocked({ clock, processId, isRunning }: Context, lock: string): Promise<boolean> {
  const owner = Number(await readFile(lock, "utf8").catch(() => ""));
  if (owner === 0 || owner === processId || !isRunning(owner)) return false;
  const { mtimeMs } = await stat(lock);
  return clock.now().getTime() - mtimeMs < staleMs;
}

/**
 * The last attempt to send an item. The server cannot have an `unsent` item, but may have an item with the
 * outcome `unknown`.
 */
export interface LastTry {
  readonly at: string;
  readonly outcome: "unsent" | "refused" | "unknown";
  readonly why: string;
}

/** A report or a proof that no server has confirmed yet. */
export interface SpooledItem {
  readonly id: string;
  readonly createdAt: string;
  /** The address of the server that the item is for. */
  readonly baseUrl: string;
  readonly idempotencyKey: string;
  readonly lastTry: LastTry | null;
}

/** A file and its place in the request, such as `images.0`. */
export interface FileInPlace {
  readonly place: string;
  readonly file: SentFile;
}

/** The names and the folder of a kind of item, and how its stored text is read and written. */
export interface StoredKind<I extends SpooledItem> {
  /** The word for an item in messages. */
  readonly word: "report" | "proof";
  /** The command `innkeep <noun> resend` sends items of this kind again. */
  readonly noun: "feedback" | "proof";
  /** The name of the folder in the state folder that contains these items. */
  readonly folder: string;
  filesOf(item: I): readonly FileInPlace[];
  textOf(item: I): string;
  /** Parses the stored text of an item. Undefined if invalid. `folder` contains the files. */
  itemIn(folder: string, text: string): I | undefined;
}

export const resendOf = ({ noun }: Pick<StoredKind<SpooledItem>, "noun">, what: string): string =>
  `innkeep ${noun} resend ${what}`;
