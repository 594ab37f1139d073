import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod/mini";

/**
 * A schema as the protocol's library wants it: it tells its JSON form when tools are listed, and lets every value pass,
 * because a tool checks its input itself and answers faults in its own words.
 */
export function wireSchema(schema: z.ZodMiniObject, side: "input" | "output"): StandardSchemaWithJSON {
  const json = () => jsonSchemaOf(schema, side);
  return {
    "~standard": {
      version: 1,
      vendor: "innkeep",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}

/**
 * Plain JSON Schema without what says nothing. Of an answer it promises no field: a later version may leave one out, and
 * a client that kept the schema must not refuse the answer for it.
 */
function jsonSchemaOf(schema: z.ZodMiniObject, side: "input" | "output"): Record<string, unknown> {
  const json = z.toJSONSchema(schema, {
    io: side,
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      if (side === "output") delete jsonSchema.required;
    },
  });
  delete json.$schema;
  return { ...json };
}
