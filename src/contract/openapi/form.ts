import type * as z from "zod/mini";
import { dataUrlPattern } from "../fields.ts";
import type { Json } from "./components.ts";
import type { Schemas } from "./schemas.ts";

/** A body as multipart/form-data: files are parts with their bytes, objects are JSON text. */
export function formSchema(body: z.ZodMiniObject, schemas: Schemas): Json {
  const fields = Object.entries(body.shape).map(([name, schema]) => [
    name,
    partOf(schemas.of(schema, "input")),
  ]);
  const required = Object.entries(body.shape).flatMap(([name, { _zod }]) =>
    _zod.optin === "optional" ? [] : [name],
  );
  return { type: "object", properties: Object.fromEntries(fields), ...(required.length ? { required } : {}) };
}

function partOf(schema: Json): Json {
  const text = JSON.stringify(schema);
  // OpenAPI 3.1 leaves the type out for bytes: client generators then take a Blob.
  if (text.includes(fileMark)) return { type: "array", items: bytes, maxItems: maxItemsOf(text) };
  if (text.includes('"type":"object"')) return { type: "string", contentMediaType: "application/json" };
  return schema;
}

const bytes = { contentMediaType: "application/octet-stream" };

const fileMark = `"pattern":${JSON.stringify(dataUrlPattern)}`;

const maxItemsOf = (text: string): number | undefined => {
  const found = /"maxItems":(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};
