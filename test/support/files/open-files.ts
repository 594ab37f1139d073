import { readdir, readlink } from "node:fs/promises";

/** The files in `folder` that this process has open. Only Linux reports them; on other systems the list is empty. */
export async function openFilesIn(folder: string): Promise<string[]> {
  const descriptors = await readdir("/proc/self/fd").catch((): string[] => []);
  const paths = descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => ""));
  return (await Promise.all(paths)).filter((path) => path.startsWith(folder));
}
