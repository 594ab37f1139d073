import type { Files } from "./files.ts";

/** The names of files that were kept, for what copies them elsewhere. */
export interface KeptNames {
  note(sha256: string): void;
  /** The names since the last call. */
  take(): string[];
}

export function createKeptNames(): KeptNames {
  let names = new Set<string>();
  return {
    note: (sha256) => void names.add(sha256),
    take() {
      const taken = [...names];
      names = new Set();
      return taken;
    },
  };
}

/** The same files, whose names are noted when they are kept: before anything refers to them. */
export const notingKept = (files: Files, names: KeptNames): Files => ({
  ...files,
  async keep(received) {
    await files.keep(received);
    names.note(received.sha256);
  },
});
