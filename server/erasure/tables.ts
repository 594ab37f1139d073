import type { TableRule } from "./table-rule.ts";
import { tablesOfAccounts } from "./tables-of-accounts.ts";
import { tablesOfApps } from "./tables-of-apps.ts";
import { tablesOfTriage } from "./tables-of-triage.ts";

/**
 * Each table with its rule. A new table, and a new column of texts, needs an entry:
 * `test/store/people/personal-data.test.ts` compares this with the schema of both engines.
 */
export const personalData: Readonly<Record<string, TableRule>> = {
  ...tablesOfApps,
  ...tablesOfTriage,
  ...tablesOfAccounts,
};
