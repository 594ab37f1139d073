import { describe, expect, it } from "vitest";
import { everyTable } from "../../../server/backup/store.ts";
import { allRecords, leftOutTables } from "../../../server/transfer/records/app.ts";
import type { RecordKind } from "../../../server/transfer/records/record.ts";
import { databases } from "../../support/database/databases.ts";

const columnsOf = ({ parent, columns, fixed, app, left, adjusted }: RecordKind) => {
  const row = adjusted?.({ published_at: null }, "") ?? {};
  const added = Object.keys(row).filter((name) => name !== "published_at");
  return [parent, ...added, ...[columns, fixed ?? {}, left ?? {}].flatMap(Object.keys), ...(app ?? [])];
};

describe.each(databases)("the list of what an export holds, on $name", ({ create }) => {
  it("says for every table, and for every column of an exported one, what an export does with it", async () => {
    const created = await create();
    try {
      const schema = await everyTable(await created.open());
      const exported = new Set(allRecords.map(({ table }) => table));
      expect([...exported, ...Object.keys(leftOutTables)].sort()).toEqual(
        schema.map(({ name }) => name).sort(),
      );
      for (const kind of allRecords) {
        const columns = schema.find(({ name }) => name === kind.table)?.columns.map(({ name }) => name);
        expect([kind.type, [...new Set(columnsOf(kind))].sort()]).toEqual([kind.type, columns?.sort()]);
      }
    } finally {
      await created.remove();
    }
  });
});
