import * as z from "zod/mini";
import { createOpenApi } from "../../../src/contract/openapi.ts";

const Content = z.optional(z.record(z.string(), z.object({ schema: z.unknown() })));

/** What the page reads of an operation of the OpenAPI document. */
const Operation = z.object({
  tags: z.array(z.string()),
  operationId: z.string(),
  summary: z.string(),
  description: z.optional(z.string()),
  deprecated: z.optional(z.boolean()),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(["path", "query", "header"]),
      required: z.boolean(),
      description: z.optional(z.string()),
      schema: z.unknown(),
    }),
  ),
  requestBody: z.optional(z.object({ content: Content })),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content })),
});

export interface Operation extends z.output<typeof Operation> {
  readonly method: string;
  readonly path: string;
  /** The operation as the OpenAPI document has it. */
  readonly json: unknown;
}

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Every operation of the API, in the order of the document. */
export const operationsOf = (baseUrl: string): Operation[] =>
  Object.entries(Document.parse(createOpenApi(baseUrl)).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, json]) => ({
      ...Operation.parse(json),
      method: method.toUpperCase(),
      path,
      json,
    })),
  );

/** The schema of a JSON body; undefined where there is none. */
export const jsonSchemaOf = ({ content }: { readonly content?: z.output<typeof Content> }): unknown =>
  content?.["application/json"]?.schema;

/** How a credential is sent. */
export type Credential = "x-api-key" | "bearer" | "none" | "session";

/** The credential that a reader can type; `session` where only a browser's session is good. */
export function credentialOf({ security }: Pick<Operation, "security">): Credential {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.length === 0) return "none";
  if (names.includes("appKey")) return "x-api-key";
  return names.some((name) => name.endsWith("Token")) ? "bearer" : "session";
}
