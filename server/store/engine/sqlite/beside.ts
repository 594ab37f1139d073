import { type FileHandle, open } from "node:fs/promises";
import type { BesideConnection, WrittenBack } from "../drivers/connection.ts";

/** Writes the log back on another thread, while the writer goes on. */
export interface Beside {
  /** Writes the log back as far as no open transaction needs it. `synced`: what was written is on the disk, too. */
  writeBack(how: "synced" | "unsynced"): Promise<WrittenBack | undefined>;
  close(): Promise<void>;
  /** Call it when SQLite has closed the file: by the rules of POSIX, closing it earlier would release the locks of SQLite. */
  closeFile(): Promise<void>;
}

/** Creates it for the log of `file`. Its connection is opened when it is first needed. */
export function createBeside(file: string, openBeside: () => Promise<BesideConnection>): Beside {
  let opened: Promise<BesideConnection> | undefined;
  let handle: Promise<FileHandle> | undefined;

  async function connection(): Promise<BesideConnection> {
    opened ??= openBeside();
    return opened.catch((error) => {
      opened = undefined;
      throw error;
    });
  }

  /** Nothing depends on how it ends: SQLite can write the log back again. */
  async function close(): Promise<void> {
    const last = opened;
    opened = undefined;
    await last?.then((connection) => connection.close()).catch(() => undefined);
  }

  const fileHandle = (): Promise<FileHandle> => {
    handle ??= open(file, "r+");
    return handle;
  };

  return {
    async writeBack(how) {
      const row = await (await connection()).writeBack().catch(async (error: unknown) => {
        // The thread may have ended. The next call opens another one.
        await close();
        throw error;
      });
      // SQLite syncs the file only once the log is written back as a whole. It does so even after this, but then there is little left to do.
      if (how === "synced") await (await fileHandle()).datasync();
      return row;
    },
    close,
    async closeFile() {
      const last = handle;
      handle = undefined;
      await (await last)?.close();
    },
  };
}
