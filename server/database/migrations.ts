import type { Migration } from "./migrate.ts";
import { baseline } from "./schema/baseline.ts";

/** All migrations in their order. A released migration never changes: a correction is a new migration. */
export const migrations: readonly Migration[] = [baseline];
