import type { Reader } from "../../engine/database.ts";

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
      `SELECT m.id, u.email FROM messages m JOIN users u ON u.id = m.author_id WHERE m.feedback_id = ?`,
      feedbackId,
    ),

  /** Who last changed each entry of an app's FAQ. */
  ofFaqs: (reader: Reader, appId: string) =>
    reader.all<LastChange>(
      `SELECT f.id, u.email, f.updated_at AS at FROM faqs f JOIN users u ON u.id = f.updated_by WHERE f.app_id = ?`,
      appId,
    ),

  /** Who last changed these release notes. */
  ofReleaseNotes: async (reader: Reader, ids: readonly string[]): Promise<LastChange[]> =>
    ids.length === 0
      ? []
      : reader.all<LastChange>(
          `SELECT e.id, u.email, e.updated_at AS at FROM changelog_entries e JOIN users u ON u.id = e.updated_by
           WHERE e.id IN (${ids.map(() => "?").join(", ")})`,
          ...ids,
        ),

  /** Who last changed the settings of an app. */
  ofApp: (reader: Reader, appId: string) =>
    reader.get<LastChange>(
      `SELECT a.id, u.email, a.updated_at AS at FROM apps a JOIN users u ON u.id = a.updated_by WHERE a.id = ?`,
      appId,
    ),
};
