import { open } from "node:fs/promises";
import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { checkLines } from "./check-lines.ts";
import type { Naming } from "./fields.ts";
import { newNames } from "./new-names.ts";
import { openSource, type Source } from "./read-source.ts";
import { stageFiles } from "./stage-files.ts";
import { type Staging, stageLines } from "./stage-lines.ts";
import { imports, type Settled } from "./store.ts";

export type ImportDeps = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "newId"> & {
  readonly settings: Pick<Deps["settings"], "storedBytesPerApp">;
  readonly log: Warns;
};

type Warns = Pick<Deps["log"], "warn">;

export interface WantedImport {
  /** The file. */
  readonly path: string;
  /** The account that becomes the only owner. */
  readonly ownerId: string;
  /** The name of the new app, if it is not that of the file. */
  readonly name: string | undefined;
  readonly signal: AbortSignal;
}

export interface ImportedApp {
  readonly appId: string;
  /** How many records of each kind the file has. */
  readonly records: Readonly<Record<string, number>>;
  readonly files: number;
  /** How many uploads were left out, because the file has no bytes of them. */
  readonly filesLeftOut: number;
}

/** Makes the app visible, in the transaction that also stores the answer and the audit. */
type Finish = (tx: Transaction) => Promise<void>;

/**
 * Reads an export twice: it checks all lines, then it stores them as a new app that nobody sees. `commit` ends the import in one
 * transaction. Before that, a failure or a crash leaves nothing but rows that are deleted later. Throws `bad_request` with what
 * is wrong in the file.
 */
export async function importApp<Result>(
  deps: ImportDeps,
  wanted: WantedImport,
  commit: (imported: ImportedApp, finish: Finish) => Promise<Result>,
): Promise<Result> {
  await discardAbandoned(deps);
  const file = await open(wanted.path);
  try {
    return await importFrom(deps, await openSource(file), { wanted, commit });
  } finally {
    await file.close();
  }
}

interface Order<Result> {
  readonly wanted: WantedImport;
  readonly commit: (imported: ImportedApp, finish: Finish) => Promise<Result>;
}

async function importFrom<Result>(
  deps: ImportDeps,
  source: Source,
  { wanted, commit }: Order<Result>,
): Promise<Result> {
  const { ownerId, name, signal } = wanted;
  const { records, withFiles } = await checkLines(source, {
    mostBytes: deps.settings.storedBytesPerApp,
    signal,
  });
  const appId = deps.newId();
  const naming: Naming = { ...newNames(), now: deps.clock.now().toISOString(), ownerId, withFiles };
  const staging: Staging = { deps, source, naming, appId, name, signal };
  let done = false;
  try {
    await stageLines(staging);
    const files = await stageFiles(staging);
    await settle(staging);
    const uploads = (records.upload ?? 0) + (records.proofImage ?? 0);
    const result = await commit(
      { appId, records, files, filesLeftOut: withFiles ? 0 : uploads },
      async (tx) => {
        if (!(await imports.finish(tx, { appId, ownerId, at: naming.now })))
          throw new Error(`The import of ${appId} was given up.`);
      },
    );
    done = true;
    return result;
  } finally {
    if (!done) await discard(deps, appId).catch((error) => deps.log.warn({ err: error }, "import left rows"));
  }
}

async function settle({ deps, appId, naming, signal }: Staging): Promise<void> {
  for (let after: Settled | undefined = { createdAt: "", id: "" }; after; ) {
    signal.throwIfAborted();
    const last: Settled = after;
    after = await deps.database.write(async (tx) => {
      await imports.goesOn(tx, appId, deps.clock.now().toISOString());
      return imports.settle(tx, { appId, after: last, now: naming.now });
    });
  }
}

/** Imports that are silent for so long were ended by a crash. */
const silentMilliseconds = 600_000;

/** Deletes what imports have left that a crash has ended. */
export async function discardAbandoned(
  deps: Pick<Deps, "clock" | "database" | "keptFiles"> & { readonly log: Warns },
): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - silentMilliseconds).toISOString();
  for (const appId of await imports.abandoned(deps.database, before)) await discard(deps, appId);
}

async function discard(
  { database, keptFiles, log }: Pick<Deps, "database" | "keptFiles"> & { readonly log: Warns },
  appId: string,
): Promise<void> {
  for (let more = true; more; ) {
    const part = await database.write((tx) => imports.discard(tx, appId));
    keptFiles.removeLater(part.hashes, (error) => log.warn({ err: error }, "files without owner left"));
    more = part.more;
  }
}
