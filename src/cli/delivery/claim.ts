import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../core/program/context.ts";

/**
 * Marks a kept item as being sent by this process, so that no other sends it at the same time. Gives the function
 * that removes the mark. Undefined if another running process has it.
 */
export async function claim(context: Context, folder: string): Promise<(() => Promise<void>) | undefined> {
  const mark = join(folder, "sending");
  if (await isHeld(context, mark)) return undefined;
  await rm(mark, { force: true });
  try {
    await writeFile(mark, String(context.processId), { flag: "wx", mode: 0o600 });
  } catch {
    return undefined;
  }
  return () => rm(mark, { force: true });
}

// Longer than any upload takes: process ids are reused, so an old mark means nothing.
const staleMs = 3_600_000;

async function isHeld({ clock, processId, isRunning }: Context, mark: string): Promise<boolean> {
  const holder = Number(await readFile(mark, "utf8").catch(() => ""));
  if (holder === 0 || holder === processId || !isRunning(holder)) return false;
  const { mtimeMs } = await stat(mark);
  return clock.now().getTime() - mtimeMs < staleMs;
}
