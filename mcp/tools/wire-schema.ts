import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

/**
 * A JSON Schema as the protocol's library wants it. It is told to clients only, and lets every value pass: a tool checks
 * its input itself and answers faults in its own words.
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
