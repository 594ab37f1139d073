import { randomUUID } from "node:crypto";
import { access, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A bound on the memory of the programs in it, files in the cache included. The kernel ends what needs more. */
export interface MemoryGroup {
  /** The file to which a program writes its id to join. */
  readonly members: string;
  /** How often the kernel has ended a program for want of memory. */
  killed(): Promise<number>;
}

/** Makes such a group of this many MiB; undefined where this machine allows none. Its end is that of the test. */
export async function memoryGroup(mebibytes: number): Promise<MemoryGroup | undefined> {
  const isOld = await exists("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  const folder = join(isOld ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup", `innkeep-${randomUUID()}`);
  try {
    await mkdir(folder);
    await writeFile(
      join(folder, isOld ? "memory.limit_in_bytes" : "memory.max"),
      String(mebibytes * 1_048_576),
    );
  } catch {
    await rmdir(folder).catch(() => {});
    return undefined;
  }
  // Programs leave it when they have ended.
  onTestFinished(async () => void (await rmdir(folder).catch(() => {})));
  const events = join(folder, isOld ? "memory.oom_control" : "memory.events");
  return {
    members: join(folder, "cgroup.procs"),
    killed: async () => Number(/^oom_kill (\d+)/m.exec(await readFile(events, "utf8"))?.[1] ?? 0),
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
