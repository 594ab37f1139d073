import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sqliteDriver } from "../../../server/database/open.ts";
import type { Connection, SqliteDriver } from "../../../server/database/sqlite.ts";

/** A folder for a database file on a disk whose free space can be switched on and off. */
export interface Disk {
  readonly file: string;
  readonly driver: SqliteDriver;
  fill(): Promise<void>;
  free(): Promise<void>;
  remove(): Promise<void>;
}

export interface DiskKind {
  readonly name: string;
  create(): Promise<Disk>;
}

/** The methods to fill a disk that are possible on this machine: only root can mount real file systems. */
export async function diskKinds(): Promise<DiskKind[]> {
  return (await canMount()) ? [limitedFile, smallFileSystem] : [limitedFile];
}

const run = promisify(execFile);
const newFolder = () => mkdtemp(join(tmpdir(), "innkeep-disk-"));

/** SQLite itself limits the size of the file. */
const limitedFile: DiskKind = {
  name: "a file at its limit",
  async create() {
    const folder = await newFolder();
    const real = await sqliteDriver();
    let writing: Connection | undefined;
    const limit = (pages: number) => writing?.all(`PRAGMA max_page_count = ${pages}`, []);
    return {
      file: join(folder, "innkeep.sqlite"),
      driver: {
        ...real,
        async open(file, how) {
          const connection = await real.open(file, how);
          if (!how.readOnly) writing = connection;
          return connection;
        },
      },
      fill: async () => void (await limit(1)),
      free: async () => void (await limit(1_000_000)),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

/** A file system of 8 MB, filled by another file. */
const smallFileSystem: DiskKind = {
  name: "a full file system",
  async create() {
    const folder = await newFolder();
    await mountSmall(folder, 8 * 1_048_576);
    const ballast = join(folder, "ballast");
    return {
      file: join(folder, "innkeep.sqlite"),
      driver: await sqliteDriver(),
      fill: () => writeFile(ballast, Buffer.alloc(16_000_000)).catch(() => {}),
      free: () => rm(ballast),
      async remove() {
        await unmount(folder);
        await rm(folder, { recursive: true });
      },
    };
  },
};

/** Mounts a file system of the given size in bytes over a folder. */
export async function mountSmall(folder: string, bytes: number): Promise<void> {
  await run("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
}

/** Unmounts it. */
export async function unmount(folder: string): Promise<void> {
  await run("umount", [folder]);
}

/** Whether this process may mount file systems. */
export async function canMount(): Promise<boolean> {
  const folder = await newFolder();
  try {
    await mountSmall(folder, 1_048_576);
    await unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true });
  }
}
