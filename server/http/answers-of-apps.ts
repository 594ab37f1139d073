import { admitted, type Viewer } from "../access/members/visibility.ts";
import type { Reader } from "../database/database.ts";
import { type KnownKey, scopeHash } from "./idempotency-store.ts";

/** Where a request names what it is about, and how the app of that is found. */
const appsOfParameters: readonly (readonly [name: string, sql: string])[] = [
  ["appId", `SELECT id AS "appId" FROM apps WHERE id = ?`],
  ["id", `SELECT app_id AS "appId" FROM feedback WHERE id = ?`],
  ["runId", `SELECT app_id AS "appId" FROM runs WHERE id = ?`],
  ["faqId", `SELECT app_id AS "appId" FROM faqs WHERE id = ?`],
  ["entryId", `SELECT app_id AS "appId" FROM changelog_entries WHERE id = ?`],
  ["listingId", `SELECT app_id AS "appId" FROM listings WHERE id = ?`],
  [
    "cycleId",
    `SELECT l.app_id AS "appId" FROM cycles c JOIN listings l ON l.id = c.listing_id WHERE c.id = ?`,
  ],
  [
    "slotId",
    `SELECT l.app_id AS "appId" FROM slots s JOIN cycles c ON c.id = s.cycle_id
       JOIN listings l ON l.id = c.listing_id WHERE s.id = ?`,
  ],
];

/** The app that a request is about; undefined if its parameters name nothing that exists. */
export async function appOfRequest(reader: Reader, params: unknown): Promise<string | undefined> {
  if (typeof params !== "object" || params === null) return undefined;
  for (const [name, sql] of appsOfParameters) {
    const id: unknown = Reflect.get(params, name);
    if (typeof id === "string") return (await reader.get<{ appId: string }>(sql, id))?.appId;
  }
  return undefined;
}

/**
 * Whether a person may still get the stored answer to an earlier request. Throws `forbidden` if the role no longer
 * suffices. The answer to the deletion of an app has no text, and stays. (rule K23)
 */
export async function mayStillGet(
  reader: Reader,
  { scope, key }: KnownKey,
  { viewer, body }: { readonly viewer: Viewer; readonly body: string },
): Promise<boolean> {
  const kept = await reader.get<{ appId: string | null; role: Viewer["needs"] | null }>(
    `SELECT i.app_id AS "appId", v.role FROM idempotency i
       LEFT JOIN app_members v ON v.app_id = i.app_id AND v.user_id = ?
     WHERE i.scope = ? AND i.key = ?`,
    ...[viewer.userId, scopeHash(scope), key],
  );
  if (!kept || kept.appId === null) return true;
  if (kept.role === null) return body === "";
  return admitted(kept.role, viewer);
}
