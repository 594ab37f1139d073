import type { Role } from "../../../src/contract/endpoint.ts";
import type { Reader, Value } from "../../database/database.ts";
import { type Condition, sqlOf, valuesOf } from "../../database/lists.ts";
import { plannedEachTime } from "../../database/transaction.ts";
import { type ChangesAfter, notAMark, threadChanges } from "../agent-work/store/changes.ts";

/** The app to which a changed object belongs. If the object belongs to a thread, also this thread. */
export interface PlaceRow {
  readonly appId: string;
  readonly threadId?: string;
}

interface MembershipRow {
  readonly userId: string;
  readonly appId: string;
  readonly role: Role;
}

/** The maximum number of distinct values in one statement. */
const mostValues = 500;

/** Finds the app of an object. Undefined if the object was deleted. */
const places = {
  thread: (reader: Reader, id: string) =>
    reader.get<PlaceRow>(
      `SELECT f.app_id AS "appId", f.id AS "threadId" FROM feedback f
       WHERE f.id = ? AND (f.status <> 'blocked' OR f.merged_into IS NOT NULL)`,
      id,
    ),
  proposal: (reader: Reader, id: string) =>
    reader.get<PlaceRow>(
      `SELECT r.app_id AS "appId", r.feedback_id AS "threadId" FROM runs r WHERE r.id = ?`,
      id,
    ),
  listing: (reader: Reader, id: string) =>
    reader.get<Pick<PlaceRow, "appId">>(`SELECT l.app_id AS "appId" FROM listings l WHERE l.id = ?`, id),
  cycle: (reader: Reader, id: string) =>
    reader.get<Pick<PlaceRow, "appId">>(
      `SELECT l.app_id AS "appId" FROM cycles c JOIN listings l ON l.id = c.listing_id WHERE c.id = ?`,
      id,
    ),
  slot: (reader: Reader, id: string) =>
    reader.get<Pick<PlaceRow, "appId">>(
      `SELECT l.app_id AS "appId" FROM slots s JOIN cycles c ON c.id = s.cycle_id
       JOIN listings l ON l.id = c.listing_id WHERE s.id = ?`,
      id,
    ),
};
export type Place = keyof typeof places;

/** The queries for the connections on which browsers receive events. */
export const liveReads = {
  /** Returns the app and the thread of an object. Returns undefined if the object was deleted. */
  placeOf: (reader: Reader, place: Place, id: string): Promise<PlaceRow | undefined> =>
    places[place](reader, id),

  /**
   * Returns the threads that changed after `mark`, and the new mark. `threads` is undefined for more than
   * `most` threads or an unknown mark.
   */
  async threadsAfter(
    reader: Reader,
    mark: string,
    most: number,
  ): Promise<{ readonly mark: string; readonly threads: readonly PlaceRow[] | undefined }> {
    const after = await threadChanges.after(reader, mark);
    // `notAMark` means that `mark` does not belong to this database, for example after a restore.
    if (after === notAMark) return { mark: await threadChanges.present(reader), threads: undefined };
    const threads = await changedThreads(reader, { conditions: after.conditions, limit: most + 1 });
    return { mark: after.next(undefined), threads: threads.length > most ? undefined : threads };
  },

  /** Returns the ids of those sessions that have not ended. */
  async liveSessions(reader: Reader, ids: readonly string[], now: string): Promise<ReadonlySet<string>> {
    const rows = await inParts(ids, (places, values) =>
      reader.all<{ id: string }>(
        `SELECT token_hash AS id FROM sessions WHERE token_hash IN (${places}) AND expires_at > ?`,
        ...[...values, now],
      ),
    );
    return new Set(rows.map(({ id }) => id));
  },

  /** Returns the memberships in these apps. */
  membersOf: (reader: Reader, appIds: readonly string[]): Promise<MembershipRow[]> =>
    inParts(appIds, (places, values) =>
      reader.all<MembershipRow>(
        `SELECT user_id AS "userId", app_id AS "appId", role FROM app_members WHERE app_id IN (${places})`,
        ...values,
      ),
    ),

  /** Returns all memberships of these people. */
  membershipsOf: (reader: Reader, userIds: readonly string[]): Promise<MembershipRow[]> =>
    inParts(userIds, (places, values) =>
      reader.all<MembershipRow>(
        `SELECT user_id AS "userId", app_id AS "appId", role FROM app_members WHERE user_id IN (${places})`,
        ...values,
      ),
    ),
};

function changedThreads(
  reader: Reader,
  { conditions: changed, limit }: Pick<ChangesAfter, "conditions"> & { readonly limit: number },
): Promise<PlaceRow[]> {
  const conditions: readonly Condition[] = [["f.seq = c.feedback_seq"], ...changed];
  return reader.all<PlaceRow>(
    plannedEachTime(
      `SELECT f.id AS "threadId", c.app_id AS "appId" FROM thread_changes c CROSS JOIN feedback f
       WHERE ${sqlOf(conditions)} ORDER BY c.number, c.feedback_seq LIMIT ?`,
    ),
    ...[...valuesOf(conditions), limit],
  );
}

/** Reads rows for many values, at most 500 in each statement. */
async function inParts<Row>(
  all: readonly string[],
  read: (places: string, values: readonly Value[]) => Promise<Row[]>,
): Promise<Row[]> {
  const distinct = [...new Set(all)];
  const rows: Row[] = [];
  for (let at = 0; at < distinct.length; at += mostValues) {
    const part = distinct.slice(at, at + mostValues);
    // The number of values is a power of two, so that there are few different statements.
    const size = 2 ** Math.ceil(Math.log2(part.length));
    const values = Array.from({ length: size }, (_, index) => part[index] ?? part[0] ?? "");
    rows.push(...(await read(values.map(() => "?").join(", "), values)));
  }
  return rows;
}
