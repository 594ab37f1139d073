import * as z from "zod/mini";
import { waitIfTurnIsLong } from "../event-loop.ts";
import { exampleOf } from "./schema.ts";

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
