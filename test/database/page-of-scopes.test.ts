import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../server/database/database.ts";
import { type PageOfScopes, pageOfScopes } from "../../server/database/lists.ts";
import { databases, type TestDatabase } from "../support/database/databases.ts";
import { fc } from "../support/property.ts";

const letters = {
  number: 1,
  name: "letters",
  statements: [
    "CREATE TABLE letters (number BIGINT PRIMARY KEY, box TEXT NOT NULL, at TEXT NOT NULL, id TEXT NOT NULL, is_read INTEGER NOT NULL)",
    "CREATE INDEX letters_by_box ON letters (box, at, id)",
  ],
};

interface Letter {
  readonly box: string;
  readonly at: string;
  readonly id: string;
  readonly isRead: number;
}

const boxes = ["a", "b", "c", "d"];
const box = fc.constantFrom(...boxes);
const instants = ["2026-01-01", "2026-01-02", "2026-01-03"];
const someLetters = fc.uniqueArray(
  fc.record({
    box,
    // Few instants, so that many rows have the same one.
    at: fc.constantFrom(...instants),
    id: fc.integer({ min: 100, max: 199 }).map(String),
    isRead: fc.constantFrom(0, 1),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
);
const asked = fc.record({
  scopes: fc.uniqueArray(box),
  isRead: fc.constantFrom(0, 1),
  limit: fc.integer({ min: 1, max: 7 }),
  oldestFirst: fc.boolean(),
});

describe.each(databases)("the rows of several apps or owners on $name", ({ createEmpty }) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createEmpty();
    database = await place.open({ migrations: [letters] });
  });
  afterAll(() => place.remove());

  const fill = (rows: readonly Letter[]) =>
    database.write(async (tx) => {
      await tx.run("DELETE FROM letters");
      for (const [number, { isRead, ...letter }] of rows.entries())
        await tx.insert("letters", { number, ...letter, is_read: isRead });
    });

  async function pageOf(
    { scopes, isRead }: { scopes: readonly string[]; isRead: number },
    page: PageOfScopes,
  ): Promise<{ at: string; id: string }[]> {
    const sorted = { at: "l.at", id: "l.id" };
    const order = page.oldestFirst ? "ASC" : "DESC";
    const [newest, ...values] = pageOfScopes(
      database.engine,
      {
        scopes: [
          `SELECT b.box AS scope FROM (${boxes.map((name) => `SELECT '${name}' AS box`).join(" UNION ALL ")}) b
           WHERE b.box IN (${["''", ...scopes.map(() => "?")].join(", ")})`,
          ...scopes,
        ],
        rows: { table: "letters l", key: "l.number", ...sorted },
        inScope: {
          from: "letters l",
          ...sorted,
          conditions: [["l.box = s.scope"], ["l.is_read = ?", isRead]],
        },
      },
      page,
    );
    return database.all(
      `SELECT l.at, l.id FROM (${newest}) AS newest JOIN letters l ON l.number = newest.found ORDER BY l.at ${order}, l.id ${order}`,
      ...values,
    );
  }

  async function allPages(
    given: Parameters<typeof pageOf>[0],
    { limit, oldestFirst }: { limit: number; oldestFirst: boolean },
  ): Promise<string[]> {
    const ids: string[] = [];
    for (let position = oldestFirst ? ["", ""] : ["9999", ""]; ; ) {
      const rows = await pageOf(given, { position, limit, oldestFirst });
      const last = rows.at(-1);
      ids.push(...rows.map(({ id }) => id));
      if (!last || rows.length < limit) return ids;
      position = [last.at, last.id];
    }
  }

  it("are read in pages that contain each matching row once, in order, even if many rows have the same instant", async () => {
    await fc.assert(
      fc.asyncProperty(someLetters, asked, async (rows, { limit, oldestFirst, ...given }) => {
        await fill(rows);
        const wanted = rows.filter((row) => given.scopes.includes(row.box) && row.isRead === given.isRead);
        const oldest = wanted.toSorted((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1));
        const ids = (oldestFirst ? oldest : oldest.toReversed()).map(({ id }) => id);
        expect(await allPages(given, { limit, oldestFirst })).toEqual(ids);
      }),
    );
  });
});
