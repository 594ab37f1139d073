import type { Engine } from "../database.ts";

/** A statement that makes a part of the schema. `null` for an engine that has no such part. */
export type Statement = string | Readonly<Record<Engine, string | null>>;

/** The statements for one engine, in their order. */
export function statementsFor(all: readonly Statement[], engine: Engine): string[] {
  return all.flatMap((statement) => (typeof statement === "string" ? statement : (statement[engine] ?? [])));
}
