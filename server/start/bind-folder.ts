import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomName } from "../secrets/secrets.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { apps } from "../store/access/apps.ts";
import { deploymentId } from "../store/deployment/deployment-id.ts";
import type { Database, Transaction } from "../store/engine/database.ts";
import { hasFiles } from "./data-folder.ts";
import { readIfThere } from "./read-if-there.ts";

/**
 * Makes sure that the data folder belongs to the PostgreSQL database, because a server deletes files to which its database
 * does not refer. The folder and the database store the same id, which the first start creates. Throws a SettingError if
 * the folder holds the files of another database. Does nothing with SQLite, whose database is in the folder.
 */
export async function bindFolder(database: Database, { data, databaseUrl }: DataLocation): Promise<void> {
  if (databaseUrl === undefined) return;
  const file = join(data, "deployment");
  const marked = await readIfThere(file);
  const holdsFiles = await hasFiles(join(data, "files"));
  const id = await database.write(async (tx) => {
    await tx.lock("innkeep deployment id");
    return agree(tx, { data, marked, holdsFiles });
  }, "long");
  if (id !== marked) await replaceFile(file, id);
}

interface Folder {
  readonly data: string;
  /** The id that is stored in the folder. */
  readonly marked: string | undefined;
  readonly holdsFiles: boolean;
}

/** Gives the id that the folder and the database share. Throws a SettingError if the folder belongs to another database. */
async function agree(tx: Transaction, { data, marked, holdsFiles }: Folder): Promise<string> {
  const own = await deploymentId.find(tx);
  const belongs = marked === undefined ? own !== undefined || (await apps.exist(tx)) : marked === own;
  if (!belongs && holdsFiles) throw foreign(data);
  const id = own ?? randomName();
  if (own === undefined) await deploymentId.insert(tx, id);
  return id;
}

const foreign = (data: string) =>
  new SettingError(
    `INNKEEP_DATA is ${data}, which holds the files of another database. Set it to the folder of this database, or set INNKEEP_DATABASE_URL to the database of these files. To start with no data, set INNKEEP_DATA to another folder. Only if you are sure that these are the files of this database, delete ${join(data, "deployment")} and try again.`,
  );

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, file);
}
