import { execFile } from "node:child_process";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { removableFolder } from "../files/temporary-folder.ts";
import { canMount, mountSmall, unmount } from "./full-disk.ts";

const run = promisify(execFile);

/** A folder for a server's data on a disk whose free space can be switched on and off. */
export interface Volume {
  readonly folder: string;
  /** Removes the free space for the server with this process id. */
  fill(pid: number): Promise<void>;
  free(pid: number): Promise<void>;
  remove(): Promise<void>;
}

export interface VolumeKind {
  readonly name: string;
  create(): Promise<Volume>;
}

/**
 * The methods to fill the disk of a process that are possible on this machine: only root can mount real file systems.
 */
export async function volumeKinds(): Promise<VolumeKind[]> {
  return (await canMount()) ? [limitedProcess, smallFileSystem] : [limitedProcess];
}

/** The kernel limits the size of the process's files. */
const limitedProcess: VolumeKind = {
  name: "where files may not grow",
  async create() {
    const { path, remove } = await removableFolder();
    const limit = async (pid: number, bytes: string) =>
      void (await run("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]));
    return {
      folder: path,
      fill: (pid) => limit(pid, "1"),
      free: (pid) => limit(pid, "unlimited"),
      remove,
    };
  },
};

const smallBytes = 32 * 1_048_576;
const leftBytes = 1_048_576;

/** A small file system, filled by another file except for the space of a few uploads. */
const smallFileSystem: VolumeKind = {
  name: "on a full file system",
  async create() {
    const { path, remove } = await removableFolder();
    await mountSmall(path, smallBytes);
    const ballast = join(path, "ballast");
    return {
      folder: path,
      async fill() {
        const { bavail, bsize } = await statfs(path);
        await writeFile(ballast, Buffer.alloc(bavail * bsize - leftBytes));
      },
      free: () => rm(ballast),
      async remove() {
        await unmount(path);
        await remove();
      },
    };
  },
};
