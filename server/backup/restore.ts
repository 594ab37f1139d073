import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import * as z from "zod/mini";
import { receivedFile } from "../../src/contract/files.ts";
import { makeFolder } from "../../src/credentials/folders.ts";
import { secondFactors } from "../access/sign-in-methods/store.ts";
import { readStoredFiles } from "../admin/check.ts";
import {
  addressOf,
  databaseFile,
  exists,
  type GivenSecrets,
  secretFile,
  secretsFor,
  secretsIn,
  withDatabase,
} from "../admin/data-location.ts";
import { systemClock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { type LockOptions, lockFolder } from "../database/folder-lock.ts";
import { appliedMigrations, type Named, schemaOf, wasMigrated } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import { createEraser } from "../erasure/eraser.ts";
import {
  addToJournal,
  type ErasedAgain,
  eraseAgain,
  type JournalEntry,
  journalName,
  readJournal,
} from "../erasure/journal.ts";
import { indexAllAgain } from "../feedback/search/store/indexing.ts";
import { createStoreMark } from "../files/s3-files.ts";
import { filesPlace } from "../files/store.ts";
import { createNewId, createSealer } from "../secrets/secrets.ts";
import { sealed } from "../secrets/store.ts";
import { type DataLocation, SettingError } from "../settings/settings.ts";
import { adoptPlace, openFiles, openKeptFiles, placeIn } from "../start/open-files.ts";
import { isLocked, opensWith, wrongSecret } from "../start/unlock.ts";
import {
  type Archive,
  type BackupHeader,
  fileEntries,
  identitiesIn,
  openArchive,
  rowEntries,
  secretName,
  verifyArchive,
} from "./archive.ts";
import { type Backup, loadDatabase, messageOf, readBackup } from "./load.ts";
import { fullDisk } from "./scratch.ts";
import {
  countOtherConnections,
  dropWaiting,
  emptyLeftOut,
  integrityFaults,
  isEmpty,
  tablesOf,
  truncateAll,
} from "./store.ts";

interface AdoptOrder extends GivenSecrets {
  /** The path of a journal of erasures. The erasures in it are repeated. */
  readonly erasures?: string | undefined;
  /** The path of the journal in which the server records erasures, if it is not in the data folder. */
  readonly erasuresFile?: string | undefined;
}

/**
 * Prepares a database that another program, such as Litestream, has restored. Throws a SettingError if a server
 * uses it. (rule O23)
 */
export async function adopt(location: DataLocation, order: AdoptOrder, waiting: LockOptions = {}) {
  const { erasures, erasuresFile, ...given } = order;
  const entries = await readJournals(location, { backup: undefined, named: erasures ?? erasuresFile });
  const lock = location.databaseUrl === undefined ? await lockFolder(location.data, waiting) : undefined;
  try {
    // These checks come first, because a damaged database must not be migrated.
    await withDatabase(location, "leave", async (database) => {
      await assertUnused(database, waiting);
      await assertSound(database);
    });
    return await withDatabase(location, "update", async (database) => {
      if (!(await secretsFor(given, location, database)) && (await isLocked(database)))
        throw noSecret(location);
      await keepJournal(location, entries);
      const withoutRecoveryCodes = await database.write(async (tx) => {
        await emptyLeftOut(tx);
        await dropWaiting(tx);
        await indexAllAgain(tx);
        await filesPlace.replace(tx, placeIn(location));
        return secondFactors.endRecoveryCodes(tx);
      }, "long");
      const erasedAgain = await eraseRestored({ database, location, given }, entries);
      const { count: files, faults } = await readStoredFiles(database, openFiles(location));
      // `adoptPlace` must be the last step, because a server starts only if the folder has the database's id.
      await adoptPlace(database, location);
      const missing = faults.map(({ sha256 }) => sha256);
      return { files, missing, withoutRecoveryCodes, erasedAgain, note: noteOf(missing.length) };
    });
  } finally {
    await lock?.release();
  }
}

const pauseMs = 100;

const defaultPatienceMs = 10_000;

/**
 * Waits until servers that were just stopped have closed their connections. Throws a SettingError if connections
 * remain.
 */
async function assertUnused(
  database: Database,
  { patienceMs = defaultPatienceMs, signal }: LockOptions,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let count = await countOtherConnections(database); count > 0; ) {
    if (performance.now() > deadline)
      throw new SettingError(
        `Other programs have ${count} connections to the database. Stop all servers and other programs that use the database. Then try again.`,
      );
    await sleep(pauseMs, undefined, { signal });
    count = await countOtherConnections(database);
  }
}

async function assertSound(database: Database): Promise<void> {
  const faults = await integrityFaults(database);
  if (faults.length > 0)
    throw new Error(
      `The database has faults. Restore the state of another point in time.\n${faults.map((fault) => `- ${fault}`).join("\n")}`,
    );
}

const noSecret = ({ data, databaseUrl }: DataLocation) =>
  new SettingError(
    databaseUrl === undefined
      ? `The file \`secret\` is missing in ${data}. Put it back, or set INNKEEP_SECRET to its content.`
      : "INNKEEP_SECRET must be set to the secret of this database.",
  );

const noteOf = (missing: number): string =>
  missing === 0
    ? erasedAreBack
    : `${erasedAreBack} Files are missing or damaged. Put them back, or run \`innkeep admin repair\`, which removes the references to them.`;

/**
 * Verifies and restores a backup into an empty folder or database. Throws an Error with a message for the
 * operator. (rule O9)
 */
export async function restore(
  location: DataLocation,
  order: GivenSecrets & {
    readonly file: string;
    readonly erasures?: string | undefined;
    readonly erasuresFile?: string | undefined;
    /** The file with the secret keys for an encrypted backup. */
    readonly identity?: string | undefined;
  },
  waiting: LockOptions = {},
) {
  const { file, erasures, erasuresFile, identity, ...given } = order;
  const entries = await readJournals(location, { backup: file, named: erasures ?? erasuresFile });
  const archive = await openArchive(file, { identities: await identitiesIn(identity) });
  try {
    await verifyArchive(archive);
    const backup = { ...(await readBackup(archive)), given, entries };
    const note = await noteAboutSecret(location, backup);
    await assertEmptyFolder(location);
    makeFolder(location.data, 0o700);
    if (location.databaseUrl === undefined)
      return withNote(await withLock(location, waiting, () => restoreFolder(location, backup)), note);
    await assertEmptyDatabase(location.databaseUrl, backup.header);
    return withNote(await restoreAll(location, addressOf(location), backup), note);
  } finally {
    await archive.close();
  }
}

interface Restoring extends Backup {
  readonly given: GivenSecrets;
  readonly entries: readonly JournalEntry[];
}

/** Calls `work` while the data folder is locked. Throws a SettingError if the folder already has a database. */
async function withLock<Result>(location: DataLocation, waiting: LockOptions, work: () => Promise<Result>) {
  const lock = await lockFolder(location.data, waiting);
  try {
    await assertEmptyFolder(location);
    return await work();
  } catch (error) {
    throw fullDisk(error, {
      place: location.data,
      needs: "A restore needs free space for the database and the files.",
    });
  } finally {
    await lock.release();
  }
}

/** Restores into a draft, which is renamed last. No server can start with an incomplete database. */
const restoreFolder = (location: DataLocation, backup: Restoring) =>
  inDraft(location, (draft) => restoreAll(location, { file: draft }, backup));

/** Renames the draft to the final name after `work` has succeeded. Deletes the draft if `work` fails. */
async function inDraft<Result>(
  location: DataLocation,
  work: (draft: string) => Promise<Result>,
): Promise<Result> {
  const draft = `${databaseFile(location)}.${randomBytes(8).toString("hex")}`;
  try {
    const result = await work(draft);
    await rename(draft, databaseFile(location));
    return result;
  } catch (error) {
    for (const ending of ["", "-wal", "-shm", "-journal"]) await rm(draft + ending, { force: true });
    throw error;
  }
}

async function restoreAll(location: DataLocation, address: DatabaseAddress, backup: Restoring) {
  await claimStoreFor(location, backup);
  const files = await restoreFiles(location, backup.archive);
  return withRestoredSecret(location, await secretIn(backup.archive), async () => ({
    files,
    ...(await restoreRows(location, address, backup)),
  }));
}

async function restoreRows(location: DataLocation, address: DatabaseAddress, backup: Restoring) {
  await keepJournal(location, backup.entries);
  const { rows } = await loadDatabase(address, backup);
  const database = await openDatabase(address);
  try {
    return { rows, ...(await finishRestore(database, location, backup)), note: erasedAreBack };
  } catch (error) {
    // After an error, `inDraft` deletes the SQLite file. A PostgreSQL database must be emptied here.
    if (database.engine === "postgres") await emptyAgain(database, error);
    throw error;
  } finally {
    await database.close();
  }
}

/** Prepares the loaded rows for a server. */
async function finishRestore(
  database: Database,
  location: DataLocation,
  { given, entries }: Pick<Restoring, "given" | "entries">,
) {
  await database.write((tx) => filesPlace.replace(tx, location.s3 ? "s3" : "folder"));
  if (location.s3 || location.databaseUrl === undefined) await adoptPlace(database, location);
  // The backup of an older version contains recovery codes, which must not be used again.
  const withoutRecoveryCodes = await database.write((tx) => secondFactors.endRecoveryCodes(tx));
  return { withoutRecoveryCodes, erasedAgain: await eraseRestored({ database, location, given }, entries) };
}

/** Deletes the loaded rows after an error. Throws an Error with both messages if the deletion fails. */
async function emptyAgain(database: Database, error: unknown): Promise<void> {
  try {
    await database.write(async (tx) => {
      await truncateAll(tx);
      // The rows of a server that has already started on this database must stay.
      if ((await countOtherConnections(tx)) > 0) throw new Error("another program uses the database");
    }, "long");
  } catch (cause) {
    throw new Error(
      `${messageOf(error)}\nThe database contains the rows of the backup, and they could not be deleted (${messageOf(cause)}). Create a new database before you restore again.`,
      { cause },
    );
  }
}

/** The note that a restore prints about erased people. */
const erasedAreBack =
  "People who were erased after this backup was created are in the data again, unless a journal of erasures contains them. See docs/privacy.md.";

async function restoreFiles(location: DataLocation, archive: Archive): Promise<number> {
  const files = openFiles(location);
  const entries = fileEntries(archive);
  for (const [, entry] of entries) {
    const draft = files.createTemporary(entry.size);
    for await (const chunk of archive.read(entry)) draft.write(chunk);
    const written = await draft.finishUnchanged();
    await files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
  }
  return entries.length;
}

async function secretIn(archive: Archive): Promise<string | undefined> {
  const entry = archive.entries.find(({ name }) => name === secretName);
  return entry && archive.readText(entry);
}

/** Throws a SettingError if the folder already contains a deployment. */
async function assertEmptyFolder(location: DataLocation): Promise<void> {
  const used = [
    databaseFile(location),
    ...(location.databaseUrl === undefined ? [secretFile(location)] : []),
  ];
  for (const file of used) {
    if (await exists(file))
      throw new SettingError(`${file} already exists. Choose a new folder with --data.`);
  }
}

/** Throws a SettingError if the database has rows, or the schema of another version than the backup. */
async function assertEmptyDatabase(url: string, header: BackupHeader): Promise<void> {
  const database = await openDatabase({ url }, { migrations: "none" });
  try {
    const applied = (await wasMigrated(database)) ? await appliedMigrations(database) : [];
    const empty = await Promise.all((await tablesOf(database)).map(({ name }) => isEmpty(database, name)));
    if (!empty.every(Boolean))
      throw new SettingError("The database is already in use. Choose a new database with --database-url.");
    if (applied.length > 0 && !haveSameSchema(applied, header.migrations))
      throw new SettingError(
        "The database is empty, but its tables belong to another version of Innkeep than the backup. Choose a new database with --database-url.",
      );
  } finally {
    await database.close();
  }
}

/**
 * Whether two lists of migrations create the same schema. Old databases list the migrations 1 to 116 in place
 * of 117.
 */
function haveSameSchema(...states: (readonly Named[])[]): boolean {
  const [one, other] = states.map((applied) => schemaOf(applied, migrations));
  return typeof one === "object" && typeof other === "object" && one.length === other.length;
}

/** Marks an empty S3 store before its first file. Throws a SettingError for a store of another deployment. */
async function claimStoreFor({ s3 }: DataLocation, backup: Backup): Promise<void> {
  if (!s3) return;
  const mark = createStoreMark(s3);
  const [marked, id] = [await mark.read(), await idIn(backup)];
  if (!(await mark.holdsFiles())) {
    if (id !== undefined && id !== marked) await mark.write(id);
    return;
  }
  if (marked === id) return;
  throw new SettingError(
    "INNKEEP_S3_URL names a folder or bucket that contains other files. Choose an empty one, for example a new folder: https://…/bucket/folder.",
  );
}

const Row = z.array(z.unknown());

/** Returns the id of the deployment in the backup. Undefined if the deployment had no id yet. */
const idIn = (backup: Backup): Promise<string | undefined> => deploymentValueIn(backup, "id");

/** Throws a SettingError if the given secret does not fit the backup. Returns a note if the secret is missing. */
async function noteAboutSecret(location: DataLocation, backup: Restoring): Promise<string> {
  const stored = await deploymentValueIn(backup, sealed.checkName);
  if (stored === undefined) return "";
  const inBackup = location.databaseUrl === undefined ? await secretIn(backup.archive) : undefined;
  const secrets = secretsIn(backup.given, inBackup);
  if (secrets && opensWith(secrets, stored)) return "";
  if (backup.given.secret) throw wrongSecret();
  return " The secret of this database is not in the backup: INNKEEP_SECRET must be set to it before the server starts.";
}

const withNote = <Result extends { readonly note: string }>(result: Result, note: string): Result => ({
  ...result,
  note: result.note + note,
});

/** Returns a value of the table `deployment` in the backup. */
async function deploymentValueIn({ archive, header }: Backup, wanted: string): Promise<string | undefined> {
  const columns = header.tables.find(({ name }) => name === "deployment")?.columns ?? [];
  for (const entry of rowEntries(archive, "deployment"))
    for (const line of (await archive.readText(entry)).split("\n").filter((text) => text !== "")) {
      const row = Row.parse(JSON.parse(line));
      const value = row[columns.indexOf("value")];
      if (row[columns.indexOf("name")] === wanted && typeof value === "string") return value;
    }
  return undefined;
}

/**
 * Writes `secret` to a file if the folder has no secret. If `work` fails, removes this file, so that the
 * restore can be repeated.
 */
async function withRestoredSecret<Result>(
  location: DataLocation,
  secret: string | Buffer | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const file = secretFile(location);
  if (secret === undefined || (await exists(file))) return work();
  try {
    await writeFile(file, secret, { mode: 0o600, flush: true });
    return await work();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** The files that a restore reads to find erasures that are newer than the backup. */
interface JournalChoice {
  /** The file of a backup. Its folder may contain a journal. */
  readonly backup: string | undefined;
  /** The path of a journal that the operator names. */
  readonly named: string | undefined;
}

/**
 * Returns the entries of all journals, without duplicates. Throws a SettingError if the journal `named` does not exist.
 */
async function readJournals(
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
 * Adds `entries` to the journal before the restore, so that the server erases these people even after a killed
 * restore.
 */
const keepJournal = ({ data }: DataLocation, entries: readonly JournalEntry[]): Promise<number> =>
  addToJournal(join(data, journalName), entries);

const atStart =
  "INNKEEP_SECRET is not set. When the server starts, it erases the people who were erased after the backup was created.";

/** Erases the people in the journals. Without the secret, the server does this when it starts. (rule P11) */
async function eraseRestored(
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
