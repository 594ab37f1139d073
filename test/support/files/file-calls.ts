import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { vi } from "vitest";

/** How often a work reads and writes files, each time with a call that blocks the server. */
export async function fileCalls(work: () => unknown): Promise<number> {
  const spies = [vi.spyOn(fs, "readSync"), vi.spyOn(fs, "writeSync")];
  syncBuiltinESMExports();
  try {
    await work();
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  }
}
