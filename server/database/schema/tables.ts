import * as access from "./access.ts";
import * as content from "./content.ts";
import * as deployment from "./deployment.ts";
import * as feedback from "./feedback.ts";
import * as mail from "./mail.ts";
import { searchSchema } from "./search.ts";
import type { Statement } from "./statement.ts";
import { type AnyTable, isTable } from "./table.ts";
import * as testing from "./testing.ts";
import { triggerSchema } from "./triggers.ts";

/** The whole schema: each table, and the statements for what a table cannot say. What a part refers to stands before it. */
export const schema: readonly (Statement | AnyTable)[] = [
  ...access.accessSchema,
  ...testing.testingSchema,
  ...feedback.feedbackSchema,
  ...searchSchema,
  ...triggerSchema,
  ...content.contentSchema,
  ...mail.mailSchema,
  ...deployment.deploymentSchema,
];

/** Every table but the list of migrations. */
export const allTables: readonly AnyTable[] = schema.filter(isTable);

/** The names of these tables. */
export type TableName =
  | NamesIn<typeof access>
  | NamesIn<typeof content>
  | NamesIn<typeof deployment>
  | NamesIn<typeof feedback>
  | NamesIn<typeof mail>
  | NamesIn<typeof testing>;

type NamesIn<Module> = {
  [Key in keyof Module]: Module[Key] extends {
    readonly name: infer Name extends string;
    readonly columns: object;
  }
    ? Name
    : never;
}[keyof Module];
