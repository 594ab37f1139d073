import type { Reader } from "../../database/database.ts";

/**
 * An expression for the address of the person with an id: that of an account, or the marked one that an import brought. Null for
 * an account that was deleted.
 */
export const emailOf = (id: string): string =>
  `coalesce((SELECT email FROM users WHERE id = ${id}),
     (SELECT email || ' (imported)' FROM imported_people WHERE id = ${id}))`;

/** Rows with an address, of a statement that also gives others. */
const named = (sql: string): string => `SELECT * FROM (${sql}) AS written WHERE email IS NOT NULL`;

/** A person who wrote something last, and when. */
export interface LastChange {
  readonly id: string;
  readonly email: string;
  readonly at: string;
}

/** The people who wrote things, by their e-mail addresses. */
export const authors = {
  /** Who wrote the messages of a thread. Messages that no member wrote are left out. */
  ofMessages: (reader: Reader, feedbackId: string) =>
    reader.all<Pick<LastChange, "id" | "email">>(
      named(
        `SELECT id, ${emailOf("m.author_id")} AS email FROM messages m
         WHERE feedback_id = ? AND author_id IS NOT NULL`,
      ),
      feedbackId,
    ),

  /** Who last changed each entry of an app's FAQ. */
  ofFaqs: (reader: Reader, appId: string) =>
    reader.all<LastChange>(
      named(
        `SELECT id, ${emailOf("f.updated_by")} AS email, updated_at AS at FROM faqs f
         WHERE app_id = ? AND updated_by IS NOT NULL`,
      ),
      appId,
    ),

  /** Who last changed these release notes. */
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

  /** Who last changed the settings of an app. */
  ofApp: (reader: Reader, appId: string) =>
    reader.get<LastChange>(
      named(
        `SELECT id, ${emailOf("a.updated_by")} AS email, updated_at AS at FROM apps a
         WHERE id = ? AND updated_by IS NOT NULL`,
      ),
      appId,
    ),
};
