import type { visibleTo } from "../../../access/members/visibility.ts";
import type { Reader } from "../../../database/database.ts";

/**
 * Returns the names of the apps that a caller may see, by the ids of the apps. If `appId` is given, returns only that
 * app.
 */
export async function searchedApps(
  reader: Reader,
  seen: ReturnType<typeof visibleTo>,
  appId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.all<{ id: string; name: string }>(
    `SELECT a.id, a.name FROM app_members v JOIN apps a ON a.id = v.app_id
     WHERE ${seen.sql} AND a.id = coalesce(?, a.id) ORDER BY a.id`,
    ...seen.values,
    appId ?? null,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
