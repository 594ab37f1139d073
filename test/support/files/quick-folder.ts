import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * The parent of folders that need not survive a power failure: in memory if 2 GB are free there, because writing to a disk
 * takes a large part of the time of many tests.
 */
export const quickFolder = hasRoom("/dev/shm") ? "/dev/shm" : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= 2 ** 31;
  } catch {
    return false;
  }
}
