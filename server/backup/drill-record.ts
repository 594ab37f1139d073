import type { Reader, Transaction } from "../database/database.ts";
import type { Drill } from "./rules.ts";

const name = "drill";

/** What the deployment remembers of its last nightly backup. */
export const drillRecord = {
  async find(reader: Reader): Promise<Drill | undefined> {
    const row = await reader.get<{ value: string }>("SELECT value FROM deployment WHERE name = ?", name);
    return row && JSON.parse(row.value);
  },

  async replace(tx: Transaction, drill: Drill | undefined): Promise<void> {
    await tx.run("DELETE FROM deployment WHERE name = ?", name);
    if (drill) await tx.insert("deployment", { name, value: JSON.stringify(drill) });
  },
};
