import * as z from "zod/mini";
import { waitIfTurnIsLong } from "../event-loop.ts";

const Content = z.optional(
  z.record(z.string(), z.object({ schema: z.optional(z.unknown()), example: z.optional(z.unknown()) })),
);

/** The parts of an OpenAPI operation that the page reads. */
const Operation = z.object({
  tags: z.array(z.string()),
  operationId: z.string(),
  summary: z.string(),
  description: z.optional(z.string()),
  deprecated: z.optional(z.boolean()),
  security: z.optional(z.array(z.record(z.string(), z.unknown()))),
  parameters: z.optional(
    z.array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.optional(z.boolean()),
        description: z.optional(z.string()),
        schema: z.unknown(),
      }),
    ),
  ),
  requestBody: z.optional(z.object({ content: Content })),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content })),
});

export interface Operation extends z.output<typeof Operation> {
  readonly method: string;
  readonly path: string;
}

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
});

type Components = z.output<typeof Document>["components"];

/** Every operation of an OpenAPI document, in its order. */
export async function operationsOf(openApi: unknown): Promise<Operation[]> {
  const { paths, components } = Document.parse(openApi);
  const operations: Operation[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, given] of Object.entries(methods)) {
      await waitIfTurnIsLong();
      const operation = Operation.parse(resolved(given, components));
      operations.push({ ...operation, method: method.toUpperCase(), path });
    }
  return operations;
}

/** The operation with this id as an OpenAPI document has it, by its path and method; undefined if there is none. */
export function operationJsonOf(openApi: unknown, operationId: string): unknown {
  const { paths, components } = Document.parse(openApi);
  for (const [path, methods] of Object.entries(paths))
    for (const [method, given] of Object.entries(methods))
      if (WithId.safeParse(given).data?.operationId === operationId)
        return { [path]: { [method]: resolved(given, components) } };
  return undefined;
}

const WithId = z.object({ operationId: z.string() });

/** The depth at which a recursive schema is cut off. */
const deepest = 12;

/** A part of the document, with each reference replaced by its target. */
function resolved(part: unknown, components: Components, depth = 0): unknown {
  if (Array.isArray(part)) return part.map((item) => resolved(item, components, depth));
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part) {
    const [kind = "", name = ""] = String(part.$ref).replace("#/components/", "").split("/");
    return depth < deepest ? resolved(components[kind]?.[name], components, depth + 1) : {};
  }
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, resolved(value, components, depth)]),
  );
}

/** The schema of a JSON body; undefined when there is none. */
export const jsonSchemaOf = ({ content }: { readonly content?: z.output<typeof Content> }): unknown =>
  content?.["application/json"]?.schema;

/** An example of a JSON body; undefined for an operation without a body. */
export function exampleBodyOf({ requestBody }: Operation): unknown {
  const json = requestBody?.content?.["application/json"];
  return json && (json.example ?? exampleOf(json.schema));
}

/** How a credential is sent. */
export type Credential = "x-api-key" | "bearer" | "none" | "session";

/** The credential that a reader can type; `session` when only a console session is accepted. */
export function credentialOf({ security = [] }: Pick<Operation, "security">): Credential {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.length === 0) return "none";
  if (names.includes("appKey")) return "x-api-key";
  return names.some((name) => name.endsWith("Token")) ? "bearer" : "session";
}

/** The parts of a JSON schema that the page reads. */
const Schema = z.object({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  properties: z.optional(z.record(z.string(), z.unknown())),
  required: z.optional(z.array(z.string())),
  items: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
  enum: z.optional(z.array(z.unknown())),
  "x-extensible-enum": z.optional(z.array(z.unknown())),
  const: z.optional(z.unknown()),
  format: z.optional(z.string()),
  description: z.optional(z.string()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  minItems: z.optional(z.number()),
  maxItems: z.optional(z.number()),
  default: z.optional(z.unknown()),
});

type Schema = z.output<typeof Schema>;

/** One field of a body or an answer, named by its path: `items[].text`. */
export interface SchemaField {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly rules: string;
}

const deepestField = 5;

/** The fields of an object, including those of nested objects. */
export function fieldsOf(given: unknown, prefix = "", depth = 0): SchemaField[] {
  const schema = plainOf(given);
  if (schema.items !== undefined)
    return depth < deepestField ? fieldsOf(schema.items, `${prefix}[]`, depth + 1) : [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const required = schema.required?.includes(name) ?? false;
    const field = { path, type: typeOf(value), required, rules: rulesOf(plainOf(value)) };
    return [field, ...(depth < deepestField ? fieldsOf(value, path, depth + 1) : [])];
  });
}

/** `string`, `array of object`, `string or null`. */
export function typeOf(given: unknown): string {
  const schema = Schema.parse(given);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return [schema.type ?? (schema.enum ? "string" : "any")].flat().join(" or ");
}

/** An example of a body, with the required fields only. */
function exampleOf(given: unknown): unknown {
  const schema = plainOf(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.items !== undefined) return schema.minItems ? [exampleOf(schema.items)] : [];
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) =>
    schema.required?.includes(name),
  );
  switch ([schema.type].flat()[0]) {
    case "object":
      return Object.fromEntries(properties.map(([name, value]) => [name, exampleOf(value)]));
    case "string":
      return schema.format === "uuid" ? "00000000-0000-4000-8000-000000000000" : "text";
    case "integer":
    case "number":
      return schema.minimum !== undefined && schema.minimum > 0 ? schema.minimum : 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}

/** The schema itself, or its first alternative that is not null. */
function plainOf(given: unknown): Schema {
  const schema = Schema.parse(given);
  const forms = (schema.anyOf ?? []).map((form) => Schema.parse(form));
  return forms.find(({ type }) => type !== "null") ?? schema;
}

function rulesOf(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, maxItems } = schema;
  return [
    schema.enum && `one of ${valuesIn(schema.enum)}`,
    // Later versions may add values.
    schema["x-extensible-enum"] && `one of ${valuesIn(schema["x-extensible-enum"])}, …`,
    schema.format,
    rangeOf(minLength, maxLength) && `${rangeOf(minLength, maxLength)} characters`,
    rangeOf(safe(minimum), safe(maximum)),
    schema.default === undefined ? undefined : `${JSON.stringify(schema.default)} if it is left out`,
    maxItems === undefined ? undefined : `at most ${maxItems} items`,
    schema.description,
    schema.items === undefined ? undefined : rulesOf(plainOf(schema.items)),
  ]
    .filter(Boolean)
    .join("; ");
}

const valuesIn = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(", ");

const safe = (value: number | undefined): number | undefined =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

function rangeOf(from: number | undefined, to: number | undefined): string | undefined {
  if (to === undefined) return from === undefined ? undefined : `at least ${from}`;
  return from === undefined ? `at most ${to}` : `${from} to ${to}`;
}
