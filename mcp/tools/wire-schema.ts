import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

/**
 * A JSON Schema in the form that the SDK needs. It is only shown to clients and accepts every value, because a tool
 * checks its input itself and describes faults in its own words.
 */
export function wireSchema(schema: Record<string, unknown>): StandardSchemaWithJSON {
  const json = () => schema;
  return {
    "~standard": {
      version: 1,
      vendor: "innkeep",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
