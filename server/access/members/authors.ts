import { importedMark } from "../../../src/contract/audit.ts";
import type { Engine, Reader } from "../../database/database.ts";
import { personOf } from "../../database/schema/table.ts";

/** Returns SQL for the e-mail address of an account or of an imported person. Null for a deleted account. */
export const emailOf = (id: string): string =>
  `coalesce((SELECT email FROM users WHERE id = ${id}),
     (SELECT email || '${importedMark}' FROM imported_people WHERE id = ${id}))`;

/** The SQL condition for an account `u` that is a member of an app now. */
const isMemberOf = (app: string): string =>
  `EXISTS (SELECT 1 FROM app_members k WHERE k.user_id = u.id AND k.app_id = ${app})`;

/** Returns SQL for the name of an account. Null if the account has no name or is no member. (rule K33) */
export const nameOf = (id: string, app: string): string =>
  `(SELECT u.name FROM users u WHERE u.id = ${id} AND ${isMemberOf(app)})`;

/**
 * Returns SQL for the name of an actor. Null unless the actor is a member or the account `orThis`.
 * (rules K33, X6)
 */
export const nameOfActor = (engine: Engine, app: string, orThis?: string): string =>
  `(SELECT u.name FROM users u WHERE u.email = ${personOf[engine]} AND actor NOT LIKE '%${importedMark}'
     AND (${isMemberOf(app)}${orThis === undefined ? "" : ` OR u.id = ${orThis}`}))`;

/** Returns an SQL statement that selects those rows of `sql` whose e-mail address is known. */
const named = (sql: string): string => `SELECT * FROM (${sql}) AS written WHERE email IS NOT NULL`;

/** The last change of an object: who made it, and when. */
export interface LastChange {
  readonly id: string;
  readonly email: string;
  readonly at: string;
}

/** The last change of texts. `email` is null if no member made the change, or if the person is unknown. */
export interface TextChange extends Omit<LastChange, "email"> {
  readonly email: string | null;
}

/** Finds the people who wrote or changed objects. (rule K30) */
export const authors = {
  /** Returns the authors of the messages of a thread. Only messages that a member wrote are in the result. */
  ofMessages: (reader: Reader, feedbackId: string) =>
    reader.all<Pick<LastChange, "id" | "email"> & { readonly name: string | null }>(
      named(
        `SELECT m.id, ${emailOf("m.author_id")} AS email, ${nameOf("m.author_id", "f.app_id")} AS name
         FROM messages m JOIN feedback f ON f.id = m.feedback_id
         WHERE m.feedback_id = ? AND m.author_id IS NOT NULL`,
      ),
      feedbackId,
    ),

  /** Returns the last text change of each FAQ entry. Changes of the position do not count. */
  ofFaqs: (reader: Reader, appId: string) =>
    reader.all<TextChange>(
      `SELECT id, ${emailOf("f.updated_by")} AS email, coalesce(text_at, updated_at) AS at FROM faqs f
       WHERE app_id = ?`,
      appId,
    ),

  ofReleaseNotes: async (reader: Reader, ids: readonly string[]): Promise<LastChange[]> =>
    ids.length === 0
      ? []
      : reader.all<LastChange>(
          named(
            `SELECT id, ${emailOf("e.updated_by")} AS email, updated_at AS at FROM changelog_entries e
             WHERE updated_by IS NOT NULL AND id IN (${ids.map(() => "?").join(", ")})`,
          ),
          ...ids,
        ),

  ofApp: (reader: Reader, appId: string) =>
    reader.get<LastChange>(
      named(
        `SELECT id, ${emailOf("a.updated_by")} AS email, updated_at AS at FROM apps a
         WHERE id = ? AND updated_by IS NOT NULL`,
      ),
      appId,
    ),
};
