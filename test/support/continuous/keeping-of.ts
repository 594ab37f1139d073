import { join } from "node:path";
import pino from "pino";
import type { Copier } from "../../../server/continuous/copier.ts";
import type { FileCopies } from "../../../server/continuous/file-copies.ts";
import { createKeeping, type KeepingOrder } from "../../../server/continuous/keeping.ts";
import { atBegin, createLogTail } from "../../../server/continuous/log-tail.ts";
import type { Place } from "../../../server/continuous/places/place.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";

interface KeepingOptions extends Partial<KeepingOrder> {
  /** The generation that goes on. */
  readonly current?: string | undefined;
  /** Deletes copies of files. */
  readonly removeFiles?: () => Promise<void>;
}

/** What a server keeps in a place, for seven days. No database is behind it. */
export async function keepingOf(place: Place, options: KeepingOptions = {}) {
  const { current, removeFiles = async () => undefined, ...order } = options;
  const folder = await temporaryFolder();
  const never = () => Promise.reject(new Error("Not expected."));
  const tail = createLogTail(join(folder, "log"), atBegin);
  const copier: Copier = {
    current: () =>
      current === undefined
        ? undefined
        : { chain: { generation: current, prepare: never, store: never }, tail },
    ...{ begin: never, resume: never, copyLog: never, giveUp: never, behind: () => 0 },
  };
  const files: FileCopies = {
    ...{ folder: "files", copyKept: never, copyMissing: async () => [], remove: removeFiles },
  };
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const keeping = createKeeping(
    log,
    {
      ...{ place, recipients: [], keptDays: 7, tidyAgainMs: 0 },
      ...{ secretFile: join(folder, "secret"), journal: join(folder, "erasures.ndjson") },
      ...order,
    },
    { copier, files, stopping: new AbortController().signal },
  );
  return { keeping, lines };
}
