import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { apps } from "../access/apps/store.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import { type Files, FilesUnavailable, type PlaceMark } from "../files/files.ts";
import { createKeptFiles, type KeptFiles } from "../files/kept-files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { createS3Files, createStoreMark, faultOfSettings } from "../files/s3-files.ts";
import { deploymentId, type FilesPlace, filesPlace, uploads } from "../files/store.ts";
import { randomName } from "../secrets/secrets.ts";
import { type DataLocation, type S3Settings, SettingError } from "../settings/settings.ts";
import { hasFiles, readIfThere } from "./data-folder.ts";

export const filesFolder = ({ data }: Pick<DataLocation, "data">): string => join(data, "files");

/** Returns the files of a deployment: in S3 if the settings name a store, otherwise in the data folder. */
export function openFiles(location: DataLocation): Files {
  const folder = filesFolder(location);
  return location.s3 ? createS3Files(join(folder, "temporary"), location.s3) : createLocalFiles(folder);
}

/** Returns the functions that store files, and that delete files to which no upload refers any more. */
export const openKeptFiles = (
  database: Database,
  files: Files,
  location: Pick<DataLocation, "s3">,
): KeptFiles =>
  createKeptFiles(
    files,
    (decide) => uploads.withFileLocks(database, decide),
    async (tx) => (await filesPlace.hold(tx)) === placeIn(location),
  );

/** Binds the database to the storage of its files. Throws a SettingError for another storage or database. */
export async function bindFiles(database: Database, location: DataLocation): Promise<void> {
  await assertPlace(database, location);
  const place = placeIn(location);
  if ((await filesPlace.find(database)) !== place)
    await database.write((tx) => filesPlace.replace(tx, place));
  await bindPlace(database, location);
}

/**
 * Throws a SettingError if the files are in another storage than the settings name. Without files, the storage may
 * change.
 */
export async function assertPlace(database: Reader, location: DataLocation): Promise<void> {
  const wanted = placeIn(location);
  if ((await filesPlace.find(database)) !== wanted && (await uploads.exist(database)))
    throw new SettingError(elsewhere[wanted]);
}

/** Returns the storage that the settings name for the files. */
export const placeIn = ({ s3 }: Pick<DataLocation, "s3">): FilesPlace => (s3 ? "s3" : "folder");

const elsewhere: Readonly<Record<FilesPlace, string>> = {
  s3: "INNKEEP_S3_URL is set, but the files of this deployment are in its data folder. Move the files with `innkeep admin files move --to s3`, or start without INNKEEP_S3_URL.",
  folder:
    "INNKEEP_S3_URL is not set, but the files of this deployment are in an S3 store. Set INNKEEP_S3_URL, or move the files into the data folder with `innkeep admin files move --to folder`. For this command, INNKEEP_S3_URL must be set.",
};

/**
 * Checks that database, data folder and storage have the same id. Throws a SettingError, also for a copied
 * SQLite database. (rule O23)
 */
export async function bindPlace(database: Database, location: DataLocation): Promise<void> {
  const { data, databaseUrl } = location;
  if (databaseUrl === undefined) await assertAdopted(database, data);
  await adoptPlace(database, location);
}

async function bindStore(database: Database, s3: S3Settings): Promise<void> {
  try {
    await bind(database, createStoreMark(s3), foreignStore);
  } catch (error) {
    throw storeFault(error);
  }
}

async function assertAdopted(database: Database, data: string): Promise<void> {
  const [id, marked] = [await deploymentId.find(database), await folderMark(data).read()];
  if (id === marked) return;
  // A database without an id is accepted if the folder has no id, or if the database has no app.
  if (id === undefined && (marked === undefined || !(await apps.exist(database)))) return;
  throw new SettingError(
    `The database in ${data} was copied from another folder. Run \`innkeep admin adopt --data ${data}\` first. This command ends the sessions from the copy, and erases again the people who were erased after the copy was made.`,
  );
}

/**
 * Writes the database's id into the data folder, the S3 store, or both. Throws a SettingError for another
 * database's files.
 */
export async function adoptPlace(database: Database, { data, databaseUrl, s3 }: DataLocation): Promise<void> {
  if (databaseUrl === undefined) await bind(database, await markBesideFile(data), foreignFolder(data));
  else if (!s3) await bind(database, folderMark(data), foreignFolder(data));
  if (s3) await bindStore(database, s3);
}

/** Returns the mark (id file) of a SQLite database's folder. Files in a folder without a mark are accepted. */
async function markBesideFile(data: string): Promise<PlaceMark> {
  const mark = folderMark(data);
  return (await mark.read()) === undefined ? { ...mark, holdsFiles: async () => false } : mark;
}

async function bind(database: Database, mark: PlaceMark, foreign: string): Promise<void> {
  const marked = await mark.read();
  const holdsFiles = await mark.holdsFiles();
  const id = await database.write(async (tx) => {
    await tx.lock("innkeep deployment id");
    return agree(tx, { marked, holdsFiles, foreign });
  }, "long");
  if (id !== marked || mark.isTried) await mark.write(id);
}

/**
 * Returns the id of the database, and stores a new one if necessary. Throws a SettingError for another
 * database's files.
 */
async function agree(
  tx: Transaction,
  {
    marked,
    holdsFiles,
    foreign,
  }: {
    /** The id that the storage of the files contains. */
    readonly marked: string | undefined;
    readonly holdsFiles: boolean;
    /** The message if the files belong to another database. */
    readonly foreign: string;
  },
): Promise<string> {
  const own = await deploymentId.find(tx);
  const belongs = marked === undefined ? own !== undefined || (await apps.exist(tx)) : marked === own;
  if (!belongs && holdsFiles) throw new SettingError(foreign);
  const id = own ?? randomName();
  if (own === undefined) await deploymentId.insert(tx, id);
  return id;
}

const foreignFolder = (data: string) =>
  `INNKEEP_DATA is ${data}, which contains the files of another database. Set it to the folder of this database, or set INNKEEP_DATABASE_URL to the database of these files. To start with no data, set INNKEEP_DATA to another folder. Only if you are sure that these are the files of this database, delete ${join(data, "deployment")} and try again.`;

const foreignStore =
  "INNKEEP_S3_URL names a bucket or folder that contains the files of another database. Set it to the bucket or folder with the files of this database, or add the name of a new folder: https://…/bucket/folder. Only if you are sure that these are the files of this database, delete the object `deployment` there and try again.";

function folderMark(data: string): PlaceMark {
  const file = join(data, "deployment");
  return {
    isTried: false,
    read: () => readIfThere(file),
    write: (id) => replaceFile(file, id),
    holdsFiles: () => hasFiles(join(data, "files")),
  };
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, file);
}

/** Returns the error for the operator if an S3 store fails. Returns other errors unchanged. */
export function storeFault(error: unknown): unknown {
  const fault = faultOfSettings(error);
  if (fault !== undefined) return new SettingError(fault, { cause: error });
  if (!(error instanceof FilesUnavailable)) return error;
  const why = error.cause instanceof Error ? error.cause.message : "";
  return new Error(`The files cannot be read or written at the moment (${why}). Try again later.`, {
    cause: error,
  });
}
