import { dirname, join } from "node:path";
import pino from "pino";
import { exists } from "../admin/data-location.ts";
import { type GivenSecrets, secretsFor } from "../admin/secrets.ts";
import { systemClock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { type ErasedAgain, eraseAgain } from "../erasure/erase-again.ts";
import { createEraser } from "../erasure/eraser.ts";
import { addToJournal, type JournalEntry, journalName, readJournal } from "../erasure/journal.ts";
import { createNewId, createSealer } from "../secrets/secrets.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { openFiles, openKeptFiles } from "../start/open-files.ts";

/** The files that a restore reads to find erasures that are newer than its backup. */
export interface JournalChoice {
  /** The file of a backup. Its folder may contain a journal. */
  readonly backup: string | undefined;
  /** The path of a journal that the operator names. */
  readonly named: string | undefined;
}

/**
 * Returns the entries of all journals that a restore finds, without duplicates. Throws a SettingError if the file in
 * `named` does not exist.
 */
export async function readJournals(
  { data }: DataLocation,
  { backup, named }: JournalChoice,
): Promise<JournalEntry[]> {
  if (named !== undefined && !(await exists(named))) throw noJournal(named);
  const beside = backup === undefined ? [] : [join(dirname(backup), journalName)];
  const files = [join(data, journalName), ...beside, ...(named ? [named] : [])];
  const entries = new Map<string, JournalEntry>();
  for (const file of files) for (const entry of await readJournal(file)) entries.set(entry.id, entry);
  return [...entries.values()];
}

const noJournal = (file: string) =>
  new SettingError(
    `The journal of erasures ${file} does not exist. Correct the name. If nobody was ever erased, leave out --erasures and INNKEEP_ERASURES.`,
  );

/**
 * Writes the entries to the journal of the data folder before the restore. If the restore is killed, the server
 * erases the people when it starts. Returns how many entries were added.
 */
export const keepJournal = ({ data }: DataLocation, entries: readonly JournalEntry[]): Promise<number> =>
  addToJournal(join(data, journalName), entries);

const atStart =
  "INNKEEP_SECRET is not set. When the server starts, it erases the people who were erased after the backup was created.";

/**
 * Erases the people in the journals from a restored database, before a server uses it. Without the secret it only
 * returns a message, and the server erases them when it starts. (rule P11)
 */
export async function eraseRestored(
  {
    database,
    location,
    given,
  }: { readonly database: Database; readonly location: DataLocation; readonly given: GivenSecrets },
  entries: readonly JournalEntry[],
): Promise<ErasedAgain | string> {
  if (entries.length === 0) return { found: 0, gone: 0, stopped: 0, otherSecret: 0 };
  const secrets = await secretsFor(given, location, database);
  if (!secrets) return atStart;
  const sealer = createSealer(secrets.secret, secrets.old);
  const again = await eraseAgain({ database, sealer, clock: systemClock }, entries);
  const deps = {
    ...{ database, sealer, clock: systemClock, newId: createNewId() },
    keptFiles: openKeptFiles(database, openFiles(location), location),
    settings: { data: location.data, erasuresFile: undefined, backupsKeptDays: undefined, dev: false },
    log: pino({ level: "silent" }),
    stopping: new AbortController().signal,
  };
  const eraser = createEraser(deps);
  while ((await eraser.next()) > 0);
  return again;
}
