import type { Migration } from "./migrate.ts";
import { baseline } from "./schema/baseline.ts";
import { plannedSearchFunction } from "./schema/search.ts";

const searchFunction: Migration = {
  number: 118,
  name: "plan the function of the search once",
  statements: { sqlite: [], postgres: [plannedSearchFunction] },
};

/** All migrations in their order. A released migration never changes: a correction is a new migration. */
export const migrations: readonly Migration[] = [baseline, searchFunction];
