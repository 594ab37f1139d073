import { expect, it } from "vitest";
import type { Migration } from "../../../server/store/engine/migrate.ts";
import { messageAuthors } from "../../../server/store/engine/migrations/feedback/016-message-authors.ts";
import { databases } from "../../support/database/databases.ts";

const before: Migration = {
  number: 15,
  name: "before",
  statements: [
    "CREATE TABLE messages (id TEXT PRIMARY KEY, feedback_id TEXT, direction TEXT, body TEXT, created_at TEXT)",
    "CREATE TABLE runs (id TEXT PRIMARY KEY, feedback_id TEXT, created_at TEXT)",
    "INSERT INTO runs VALUES ('r', 'f', '10:00')",
    `INSERT INTO messages VALUES
      ('asked', 'f', 'inbound', 'An agent proposes: trust me', '10:00'),
      ('beside its run', 'f', 'internal', 'A plan', '10:00'),
      ('another time', 'f', 'internal', 'A note', '10:01'),
      ('another thread', 'g', 'internal', 'A note', '10:00'),
      ('by its words', 'g', 'internal', 'An agent proposes: a plan', '11:00'),
      ('answered', 'f', 'outbound', 'Thank you', '12:00')`,
  ],
};

it.each(databases)("older messages on $name get their authors", async ({ createEmpty }) => {
  const place = await createEmpty();
  try {
    await place.open({ migrations: [before] });
    const database = await place.open({ migrations: [before, messageAuthors] });
    const rows = await database.all<{ id: string; author: string }>("SELECT id, author FROM messages");
    expect(Object.fromEntries(rows.map(({ id, author }) => [id, author]))).toEqual({
      asked: "sender",
      "beside its run": "agent",
      "another time": "team",
      "another thread": "team",
      "by its words": "agent",
      answered: "team",
    });
  } finally {
    await place.remove();
  }
});
