import { describe, expect, it } from "vitest";
import { everyTable } from "../../server/backup/store.ts";
import { columnsHolding } from "../../server/database/schema/table.ts";
import { allTables } from "../../server/database/schema/tables.ts";
import { searchedTables } from "../../server/erasure/store/find.ts";
import { databases } from "../support/database/databases.ts";

describe.each(databases)("the descriptions of the tables, on $name", ({ create }) => {
  it("contain every table and every column, and describe the content of each text column", async () => {
    const created = await create();
    try {
      const schema = await everyTable(await created.open());
      expect(allTables.map(({ name }) => name).sort()).toEqual(schema.map(({ name }) => name).sort());
      for (const table of allTables) {
        const { columns = [] } = schema.find(({ name }) => name === table.name) ?? {};
        const texts = columns.filter(({ type }) => type === "text").map(({ name }) => name);
        expect([table.name, columnsHolding(table).sort()]).toEqual([table.name, texts.sort()]);
        const names = columns.map(({ name }) => name).sort();
        expect([table.name, Object.keys(table.columns).sort()]).toEqual([table.name, names]);
      }
    } finally {
      await created.remove();
    }
  });
});

it("each table with an app and texts of people is searched in an erasure", () => {
  const holding = allTables.filter(
    (table) =>
      table.of === "app" && columnsHolding(table, "address", "name", "text", "json", "key").length > 0,
  );
  const searched = searchedTables.map(({ name }) => name);
  expect(searched).toEqual(expect.arrayContaining(holding.map(({ name }) => name)));
});
