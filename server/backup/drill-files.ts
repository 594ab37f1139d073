import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** The names that nightly backups get. Other files of the folder are left alone. */
const pattern = /^innkeep-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar(\.age)?$/;
const draftEnding = ".partial";

/** The name of the backup that begins at this time. */
export const drillName = (at: Date, isEncrypted: boolean): string =>
  `innkeep-${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z.tar${isEncrypted ? ".age" : ""}`;

/** Deletes what a killed backup has left. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(draftEnding) && pattern.test(name.slice(0, -draftEnding.length)))
      await rm(join(folder, name), { force: true });
}

/** Deletes all but the newest backups. */
export async function removeOld(folder: string, kept: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => pattern.test(name)).sort();
  for (const name of names.slice(0, -kept)) await rm(join(folder, name), { force: true });
}
