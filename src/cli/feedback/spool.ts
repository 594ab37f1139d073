import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Invocation } from "../context.ts";
import { type PlacedFile, placesOf, type Report } from "./report.ts";
import { copyPath, storedReport, storedText } from "./stored-report.ts";

/** Where reports wait until a server has them: a folder each, which only its owner can read. */
export interface Spool {
  /** Keeps a report with copies of its files, whole or not at all; gives the report that has the copies. */
  keep(report: Report): Promise<Report>;
  /** Writes what has become of a kept report. */
  update(report: Report): Promise<void>;
  read(id: string): Promise<Report | undefined>;
  /** All that is kept, oldest first, and the folders in which something else lies. */
  list(): Promise<{ readonly reports: readonly Report[]; readonly damaged: readonly string[] }>;
  drop(id: string): Promise<void>;
  folderOf(id: string): string;
}

export function openSpool({ context, stateFolder }: Invocation): Spool {
  const root = join(stateFolder, "spool");
  const folderOf = (id: string) => join(root, id);
  const unfinishedOf = (id: string) => join(root, `.${id}`);
  const read = async (id: string) => (isId.test(id) ? readReport(folderOf(id)) : undefined);

  return {
    async keep(report) {
      const unfinished = unfinishedOf(report.id);
      try {
        await sweep(root, context.clock.now());
        await mkdir(unfinished, { recursive: true, mode: 0o700 });
        for (const placed of placesOf(report.files)) await copy(placed, unfinished);
        await writeReport(unfinished, report);
        await rename(unfinished, folderOf(report.id));
      } catch (error) {
        await rm(unfinished, { recursive: true, force: true });
        throw error;
      }
      return (await read(report.id)) ?? report;
    },
    update: (report) => writeReport(folderOf(report.id), report),
    read,
    async list() {
      const ids = (await readdir(root).catch(() => [])).filter((name) => isId.test(name));
      const found = await Promise.all(ids.map(async (id) => ({ id, report: await read(id) })));
      const damaged = found.filter(({ report }) => !report).map(({ id }) => folderOf(id));
      return {
        reports: found.flatMap(({ report }) => report ?? []).sort(byAge),
        damaged: damaged.filter(existsSync),
      };
    },
    async drop(id) {
      // At once for whoever reads the list meanwhile.
      await rename(folderOf(id), unfinishedOf(id));
      await rm(unfinishedOf(id), { recursive: true, force: true });
    },
    folderOf,
  };
}

// What starts with a dot is not finished, or was left by a program that was killed.
const isId = /^[0-9A-Za-z][0-9A-Za-z-]{0,99}$/;
const reportFile = "report.json";

const dayMs = 86_400_000;

/** Removes what killed programs left half written. */
async function sweep(root: string, now: Date): Promise<void> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith("."));
  for (const path of names.map((name) => join(root, name))) {
    const found = await stat(path).catch(() => undefined);
    if (found && now.getTime() - found.mtimeMs > dayMs) await rm(path, { recursive: true, force: true });
  }
}

async function readReport(folder: string): Promise<Report | undefined> {
  const text = await readFile(join(folder, reportFile), "utf8").catch(() => "");
  return storedReport(folder, text);
}

async function writeReport(folder: string, report: Report): Promise<void> {
  const path = join(folder, reportFile);
  await writeFile(`${path}.new`, storedText(report), { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

async function copy({ field, at, file }: PlacedFile, folder: string): Promise<void> {
  const path = copyPath(folder, field, at);
  await copyFile(file.path, path);
  await chmod(path, 0o600);
  if ((await stat(path)).size !== file.bytes)
    throw new Error(`The file ${file.name} changed while it was read.`);
}

const byAge = (a: Report, b: Report) => (a.createdAt < b.createdAt ? -1 : 1);
