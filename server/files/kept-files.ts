import type { ReceivedFile } from "../../src/contract/received-file.ts";
import type { Files } from "./files.ts";

/** Keeps files as long as something refers to them, whoever adds and removes at the same time. */
export interface KeptFiles {
  /** Makes the files permanent, then does `work`, which refers to them; if either fails they go again. */
  keepFor<Result>(received: readonly ReceivedFile[], work: () => Promise<Result>): Promise<Result>;
  /** Deletes those files to which nothing refers any more. */
  removeUnreferenced(hashes: readonly string[]): Promise<void>;
}

export function createKeptFiles(files: Files, isReferenced: (sha256: string) => Promise<boolean>): KeptFiles {
  const held = new Map<string, number>();
  const removing = new Map<string, Promise<void>>();

  const hold = async (sha256: string) => {
    while (removing.has(sha256)) await removing.get(sha256);
    held.set(sha256, (held.get(sha256) ?? 0) + 1);
  };
  const release = (sha256: string) => {
    const holders = (held.get(sha256) ?? 1) - 1;
    if (holders === 0) held.delete(sha256);
    else held.set(sha256, holders);
  };
  const removeOne = async (sha256: string) => {
    if (held.has(sha256) || removing.has(sha256)) return;
    const removal = (async () => {
      if (!(await isReferenced(sha256))) await files.remove(sha256);
    })();
    removing.set(sha256, removal);
    await removal.finally(() => removing.delete(sha256));
  };
  const removeUnreferenced = async (hashes: readonly string[]) => {
    await Promise.all([...new Set(hashes)].map(removeOne));
  };

  return {
    removeUnreferenced,
    async keepFor(received, work) {
      const hashes = [...new Set(received.map(({ sha256 }) => sha256))];
      for (const sha256 of hashes) await hold(sha256);
      let done = false;
      try {
        await Promise.all(received.map((file) => files.keep(file)));
        const result = await work();
        done = true;
        return result;
      } finally {
        hashes.forEach(release);
        if (!done) await removeUnreferenced(hashes).catch(() => undefined);
      }
    },
  };
}
