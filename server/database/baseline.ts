import type { Migration, Replaced } from "./migrate.ts";
import { isTable, type Statement, statementsFor, statementsOf } from "./schema/table.ts";
import { schema } from "./schema/tables.ts";

const statements: readonly Statement[] = schema.flatMap((part) => {
  if (!isTable(part)) return [part];
  return part.since === undefined ? statementsOf(part) : [];
});

/** The migrations 1 to 116. Some numbers were not used. */
export const replaced: Replaced = {
  commit: "9e515d813a6c140ea003fe4a98bf16459e29f142",
  count: 67,
  last: 116,
  names: "7bff0c7a54b67660b607738ada4244c660a4ef9a0f0975b216c7b7e8baf4a472",
  checksums: {
    sqlite: "d668faacf8b19115b1824ab1373be851a6aa32da1ce5c1987b4cb8d57d8d022f",
    postgres: "b2efbac3006cb1b6d80413537124deb5c0a880007be17aa74e313cd0265e3741",
  },
};

/**
 * Creates the schema as it was after migration 116, and replaces all migrations up to that one. If a database has
 * exactly those migrations, this one counts as applied. Its statements may be rewritten as long as they create the same
 * schema, which a test checks. Every change of the schema must be a new migration.
 */
export const baseline: Migration = {
  number: 117,
  name: "baseline",
  statements: {
    sqlite: statementsFor(statements, "sqlite"),
    postgres: statementsFor(statements, "postgres"),
  },
  replaces: replaced,
};
