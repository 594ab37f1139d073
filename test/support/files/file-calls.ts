import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { vi } from "vitest";

/** Counts how often `work` reads and writes files with calls that block the server. */
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
