import type * as z from "zod/mini";
import { dataUrlPattern, filePart } from "../fields.ts";
import type { Json } from "./components.ts";
import type { Schemas } from "./schemas.ts";

/** A body as multipart/form-data: files are parts with their bytes, objects are JSON text. */
export function formSchema(body: z.ZodMiniObject, schemas: Schemas): Json {
  const fields = Object.entries(body.shape).map(([name, schema]) => [
    name,
    partOf(schemas.of(schema, "input")),
  ]);
  const required = Object.entries(body.shape).flatMap(([name, schema]) =>
    schema._zod.optin !== "optional" || needsElement(schemas.of(schema, "input")) ? [name] : [],
  );
  return { type: "object", properties: Object.fromEntries(fields), ...(required.length ? { required } : {}) };
}

/** A list that may not be empty must be sent, though its absence has an error of its own. */
const needsElement = ({ minItems }: Json): boolean => minItems === 1;

function partOf(schema: Json): Json {
  const text = JSON.stringify(schema);
  if (text.includes(fileMark)) return { type: "array", items: filePart, maxItems: maxItemsOf(text) };
  if (text.includes('"type":"object"')) return { type: "string", contentMediaType: "application/json" };
  return schema;
}

const fileMark = `"pattern":${JSON.stringify(dataUrlPattern)}`;

const maxItemsOf = (text: string): number | undefined => {
  const found = /"maxItems":(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};
