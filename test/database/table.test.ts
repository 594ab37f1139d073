import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import type { Database } from "../../server/database/database.ts";
import {
  type Added,
  addedSince,
  flag,
  id,
  index,
  instant,
  integer,
  type Row,
  ref,
  statementsFor,
  statementsOf,
  table,
  text,
} from "../../server/database/schema/table.ts";
import { insert, select, update } from "../../server/database/transaction.ts";
import { databases } from "../support/database/databases.ts";

const about = { of: "app", erase: "Nothing." } as const;

const shelves = table("shelves", { id: id(), name: text("text").unique() }, about);

const jars = table(
  "jars",
  {
    shelf_id: ref(shelves, "cascade"),
    seat: integer(),
    label: text<"jam" | "tea">("plain").default("tea"),
    is_open: flag().default(0),
    opened_at: instant().null(),
    note: text("text").null().since(2),
  },
  {
    ...about,
    primary: ["shelf_id", "seat"],
    indexes: [
      index("jars_by_opening", "opened_at", { where: "opened_at IS NOT NULL" }),
      index("jars_by_note", "note", { since: 2 }),
    ],
  },
);

async function makeAll(database: Database): Promise<void> {
  const made = [...statementsOf(shelves), ...statementsOf(jars), ...addedSince(jars, 2)];
  await database.write(async (tx) => {
    for (const sql of statementsFor(made, tx.engine)) await tx.run(sql);
  });
}

const byShelf = select(jars, ["seat", "label", "isOpen", "openedAt"], "WHERE shelf_id = ? ORDER BY seat");
const open = update(jars, "WHERE shelf_id = ? AND seat = ?");
const addUnlessThere = insert(jars, "ON CONFLICT (shelf_id, seat) DO NOTHING");

describe.each(databases)("the functions of a described table, on $name,", (engine) => {
  async function opened(): Promise<Database> {
    const place = await engine.createEmpty();
    onTestFinished(() => place.remove());
    const database = await place.open({ migrations: "none" });
    await makeAll(database);
    await database.insert(shelves, { id: "a", name: "Cellar" });
    return database;
  }

  it("store rows, and return them with names in camel case", async () => {
    const database = await opened();
    await database.insert(jars, { shelfId: "a", seat: 2, label: "jam", openedAt: undefined });
    const added = await database.write(async (tx) => [
      await addUnlessThere(tx, { shelfId: "a", seat: 1 }),
      await addUnlessThere(tx, { shelfId: "a", seat: 1, label: "jam" }),
    ]);
    expect(added).toEqual([true, false]);
    expect(await database.all(byShelf, "a")).toEqual([
      { seat: 1, label: "tea", isOpen: 0, openedAt: null },
      { seat: 2, label: "jam", isOpen: 0, openedAt: null },
    ]);
  });

  it("change the given columns, and nothing else", async () => {
    const database = await opened();
    await database.insert(jars, { shelfId: "a", seat: 1, openedAt: "2027" });
    const changed = await database.write(async (tx) => [
      await open(tx, { isOpen: 1, openedAt: undefined }, "a", 1),
      await open(tx, { isOpen: undefined }, "a", 1),
      await open(tx, { openedAt: null, note: "plum" }, "a", 2),
    ]);
    expect(changed).toEqual([1, 0, 0]);
    expect(await database.get(byShelf, "a")).toMatchObject({ isOpen: 1, openedAt: "2027" });
  });

  it("delete rows together with the row that they refer to", async () => {
    const database = await opened();
    await database.insert(jars, { shelfId: "a", seat: 1 });
    await database.write((tx) => tx.run("DELETE FROM shelves WHERE id = 'a'"));
    expect(await database.all(byShelf, "a")).toEqual([]);
  });
});

it("the compiler checks the columns and their types", () => {
  expectTypeOf<Row<typeof jars>>().toEqualTypeOf<{
    readonly shelfId: string;
    readonly seat: number;
    readonly label: "jam" | "tea";
    readonly isOpen: number;
    readonly openedAt: string | null;
    readonly note: string | null;
  }>();
  expectTypeOf<Added<typeof shelves>>().toEqualTypeOf<{ readonly id: string; readonly name: string }>();
  // @ts-expect-error A column of that name does not exist.
  const misspelled: () => unknown = () => select(jars, ["seat", "lable"]);
  // @ts-expect-error It has no default.
  const incomplete = (database: Database) => database.insert(jars, { shelfId: "a" });
  const row = { shelfId: "a", seat: 1, colour: "red" };
  // @ts-expect-error The table has no such column.
  const tooMuch = (database: Database) => database.insert(jars, row);
  // @ts-expect-error It is no number.
  const wrong = (database: Database) => database.insert(jars, { shelfId: "a", seat: "1" });
  expect([misspelled, incomplete, tooMuch, wrong]).toHaveLength(4);
});
