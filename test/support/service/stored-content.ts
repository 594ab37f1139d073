import { utimes } from "node:fs/promises";
import { filesIn } from "../files/temporary-folder.ts";
import type { Service } from "./service.ts";

/** The number of rows of a table that belong to an app. */
export async function rowsOf(service: Service, table: "feedback" | "uploads" | "faqs", appId: string) {
  const rows = await service.deps.database.all(`SELECT 1 AS one FROM ${table} WHERE app_id = ?`, appId);
  return rows.length;
}

/** The paths of all uploaded files, including unfinished uploads. */
export const storedFiles = (service: Service): Promise<string[]> =>
  filesIn(`${service.deps.settings.data}/files`);

/** Sets the times of all uploaded files as if nobody had written them for this number of minutes. */
export async function ageFiles(service: Service, minutes: number): Promise<void> {
  const then = new Date(Date.now() - minutes * 60_000);
  for (const path of await storedFiles(service)) await utimes(path, then, then);
}

/** The complete content of the database, as one text. */
export async function storedText({ deps: { database } }: Service): Promise<string> {
  const tables = await database.all<{ name: string }>(
    database.engine === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'feedback_search%'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const rows = tables.map(({ name }) => database.all(`SELECT * FROM ${name}`));
  return JSON.stringify(await Promise.all(rows));
}
