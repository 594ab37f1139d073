import * as z from "zod/mini";
import { fieldsOf, typeOf } from "../../server/console/api-docs.tsx";
import { createOpenApi } from "../../src/openapi/document.ts";
import { anchorOf, table } from "./markdown.ts";

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

const { paths, components } = Document.parse(await createOpenApi("https://inn.example.org"));

/** The operation of the OpenAPI document at a path of the contract. */
export function operationAt(method: string, path: string): unknown {
  return paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
}

/** A table of the fields of a schema, or one for each of its forms. Named types are links. */
export function fieldTable(schema: unknown): string {
  const forms = Forms.safeParse(schema).data?.anyOf ?? [schema];
  return forms.map(tableOf).join("\n\nor\n\n");
}

const Forms = z.object({ anyOf: z.array(z.unknown()) });

const tableOf = (schema: unknown): string =>
  table(
    ["Field", "Type", "Required", "Rules"],
    fieldsOf(linked(schema)).map(({ path, type, required, rules }) => [
      `\`${path}\``,
      type,
      required ? "yes" : "",
      rules,
    ]),
  );

/** A schema in a few words: `array of [Faq](#faq)`. */
export const typeText = (schema: unknown): string => typeOf(linked(schema));

/** The types that endpoints share, each with its fields. */
export const sharedTypes = (): string[] =>
  Object.entries(components.schemas).flatMap(([name, schema]) =>
    isChoice(schema) ? [] : [`### ${name}`, fieldTable(schema)],
  );

/** A schema in which each reference is a link. A reference to a list of words is replaced by the words. */
function linked(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(linked);
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part) {
    const name = String(part.$ref).split("/").at(-1) ?? "";
    const schema = components.schemas[name] ?? {};
    return isChoice(schema) ? schema : { type: `[${name}](#${anchorOf(name)})` };
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, linked(value)]));
}

const isChoice = (schema: Record<string, unknown>): boolean => "enum" in schema;
