import { randomUUID } from "node:crypto";
import { access, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A limit on the memory of its programs, including cached files. The kernel kills programs above it. */
export interface MemoryGroup {
  /** The file into which a program writes its process id to join the group. */
  readonly members: string;
  /** How often the kernel has killed a program above the limit. */
  killed(): Promise<number>;
}

/**
 * Creates such a group with this limit in MiB. Returns undefined if this machine does not allow one. It ends with the
 * test.
 */
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
  // Programs leave the group when they have ended.
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
