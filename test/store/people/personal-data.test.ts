import { describe, expect, it } from "vitest";
import { everyTable } from "../../../server/backup/store.ts";
import { searchedTables } from "../../../server/erasure/store/find.ts";
import { personalData } from "../../../server/erasure/tables.ts";
import { databases } from "../../support/database/databases.ts";

describe.each(databases)("the rules for personal data on $name", ({ create }) => {
  it("name every table, and every column of texts once, and nothing else", async () => {
    const created = await create();
    try {
      const database = await created.open();
      const schema = await everyTable(database);
      const texts = schema.map(({ name, columns }) => [
        name,
        columns
          .filter(({ type }) => type === "text")
          .map((column) => column.name)
          .sort(),
      ]);
      const declared = Object.entries(personalData).map(([name, { holds }]) => [
        name,
        Object.values(holds).flat().sort(),
      ]);
      expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(texts));
    } finally {
      await created.remove();
    }
  });
});

it("a table of apps that holds texts of people is searched in an erasure", () => {
  const holding = Object.entries(personalData).filter(([, { of, holds }]) => {
    const { address = [], name = [], text = [], json = [], key = [] } = holds;
    return of === "app" && [address, name, text, json, key].some((columns) => columns.length > 0);
  });
  expect(Object.keys(searchedTables)).toEqual(expect.arrayContaining(holding.map(([name]) => name)));
});
