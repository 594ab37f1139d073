import { createHash } from "node:crypto";
import { type FileHandle, link, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Sink } from "../client/call.ts";
import { CliError } from "./core/cli-error.ts";
import type { Invocation } from "./core/context.ts";
import { appIdOf } from "./core/ids.ts";
import { details, note, printOne } from "./core/output.ts";

export interface ExportFlags {
  readonly app?: string;
  readonly files?: boolean;
  readonly output?: string;
  readonly force?: boolean;
}

/** Downloads all data of an app into a file. Only `--force` replaces an existing file. */
export async function exportApp(invocation: Invocation, flags: ExportFlags): Promise<undefined> {
  const { context } = invocation;
  const appId = await appIdOf(invocation);
  const ending = flags.files ? "tar" : "ndjson";
  const given = flags.output ?? `innkeep-${appId.slice(0, 8)}-${dayOf(context.clock.now())}.${ending}`;
  const file = resolve(context.cwd, given);
  if (!flags.force && (await exists(file))) throw taken(given);
  // The file gets its final name when it is complete.
  const part = join(dirname(file), `.${crypto.randomUUID()}.part`);
  const sink = fileSink(part);
  try {
    await invocation.client().appData.export({
      params: { appId },
      query: flags.files ? { files: "1" } : {},
      sink,
    });
    const { bytes, sha256 } = await sink.end();
    await moveIntoPlace(part, file, { given, force: flags.force === true });
    note(invocation, `Wrote ${given}. It contains addresses and texts of people: keep it safe.`);
    printOne(invocation, { file: given, appId, bytes, sha256 }, () =>
      details({ file: given, app: appId, bytes, sha256 }),
    );
  } finally {
    await sink.close();
    await rm(part, { force: true });
  }
}

const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

const taken = (given: string): CliError =>
  new CliError({
    exit: "conflict",
    code: "file_exists",
    message: `${given} exists already.`,
    next: "Choose another name with --output, or replace it with --force.",
  });

/** Renames the complete file. Without `force`, throws an error if another process has created this file. */
async function moveIntoPlace(
  part: string,
  file: string,
  { given, force }: { readonly given: string; readonly force: boolean },
): Promise<void> {
  if (force) return rename(part, file);
  await link(part, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") throw taken(given);
    // Some file systems have no hard links.
    return rename(part, file);
  });
}

interface FileSink extends Sink {
  /** Flushes the file to the disk. Returns its size and hash. */
  end(): Promise<{ readonly bytes: number; readonly sha256: string }>;
  close(): Promise<void>;
}

/** Writes a new file that only its owner can read. */
function fileSink(path: string): FileSink {
  let handle: FileHandle | undefined;
  let hash = createHash("sha256");
  let bytes = 0;
  return {
    async begin() {
      await handle?.close();
      handle = await open(path, "w", 0o600);
      hash = createHash("sha256");
      bytes = 0;
    },
    async write(chunk) {
      await handle?.writeFile(chunk);
      hash.update(chunk);
      bytes += chunk.length;
    },
    async end() {
      await handle?.sync();
      return { bytes, sha256: hash.digest("hex") };
    },
    async close() {
      await handle?.close();
      handle = undefined;
    },
  };
}
