import type { Engine, Reader } from "../../database/database.ts";
import { personOf } from "../../database/schema/table.ts";

/**
 * Returns an SQL expression for the e-mail address of the account or the imported person with this id. The address of
 * an imported person is marked. The expression is null if the account was deleted.
 */
export const emailOf = (id: string): string =>
  `coalesce((SELECT email FROM users WHERE id = ${id}),
     (SELECT email || ' (imported)' FROM imported_people WHERE id = ${id}))`;

/** Returns an SQL expression for the name that the account with this id has chosen. Null if there is none. (rule K33) */
export const nameOf = (id: string): string => `(SELECT name FROM users WHERE id = ${id})`;

/** The SQL expression for the name of the person of an actor in the audit. Null if there is none. */
export const nameOfActor: Record<Engine, string> = {
  sqlite: `(SELECT name FROM users WHERE email = ${personOf.sqlite})`,
  postgres: `(SELECT name FROM users WHERE email = ${personOf.postgres})`,
};

/** Keeps only the rows of a statement that have an address. */
const named = (sql: string): string => `SELECT * FROM (${sql}) AS written WHERE email IS NOT NULL`;

/** The last change of an object: who made it, and when. */
export interface LastChange {
  readonly id: string;
  readonly email: string;
  readonly at: string;
}

/** Finds the people who wrote or changed objects. (rule K30) */
export const authors = {
  /** Returns the authors of the messages of a thread. The result does not contain messages that no member wrote. */
  ofMessages: (reader: Reader, feedbackId: string) =>
    reader.all<Pick<LastChange, "id" | "email"> & { readonly name: string | null }>(
      named(
        `SELECT id, ${emailOf("m.author_id")} AS email, ${nameOf("m.author_id")} AS name FROM messages m
         WHERE feedback_id = ? AND author_id IS NOT NULL`,
      ),
      feedbackId,
    ),

  /** Returns the last change of each entry in an app's FAQ. */
  ofFaqs: (reader: Reader, appId: string) =>
    reader.all<LastChange>(
      named(
        `SELECT id, ${emailOf("f.updated_by")} AS email, updated_at AS at FROM faqs f
         WHERE app_id = ? AND updated_by IS NOT NULL`,
      ),
      appId,
    ),

  /** Returns the last change of each of these release notes. */
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

  /** Returns the last change of the settings of an app. */
  ofApp: (reader: Reader, appId: string) =>
    reader.get<LastChange>(
      named(
        `SELECT id, ${emailOf("a.updated_by")} AS email, updated_at AS at FROM apps a
         WHERE id = ? AND updated_by IS NOT NULL`,
      ),
      appId,
    ),
};
