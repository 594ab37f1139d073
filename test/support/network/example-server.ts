import * as z from "zod/mini";
import { development } from "../../../server/dev/dev-server.ts";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { contract } from "../../../src/contract/index.ts";
import { listen } from "./recording-server.ts";

type Schema = z.core.JSONSchema.BaseSchema;

const endpoints: readonly (readonly [string, Endpoint])[] = Object.entries({
  ...contract,
  development,
}).flatMap(([group, members]) =>
  Object.entries(members).map(([name, one]) => [`${group}.${name}`, one] as const),
);

/**
 * A server that answers every endpoint of the contract with its example, or with values that fit its schema. Each list
 * has one element for each of these ids. Returns its address.
 */
export const startExampleServer = (ids: readonly string[] = []): Promise<string> =>
  listen(({ method, url = "" }, response) => {
    const { pathname } = new URL(url, "http://here");
    if (pathname === "/healthz") return void response.end('{"status":"ok"}');
    if (pathname === "/tavern/authorize") return void response.end("<h1>Approve this device?</h1>");
    const found = endpoints.find(([, one]) => one.method === method && patternOf(one.path).test(pathname));
    if (!found) return void response.writeHead(404).end();
    const [, { path, success, example, repeats = "" }] = found;
    if (success.status === 204) return void response.writeHead(204).end();
    if ("download" in success)
      return void response.writeHead(200, { "content-type": success.download[0] }).end('{"type":"end"}\n');
    if ("events" in success)
      return void response.writeHead(200, { "content-type": "text/event-stream" }).end();
    const params = patternOf(path).exec(pathname)?.groups ?? {};
    const answer = withIds(example?.answer ?? sampleOf(success.body), ids);
    const own = params[repeats] === undefined ? answer : { ...Object(answer), id: params[repeats] };
    response.writeHead(success.status, { "content-type": "application/json", etag: '"example"' });
    response.end(JSON.stringify(own));
  });

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);

/** A value that fits a schema of the contract. */
const sampleOf = (schema: z.core.$ZodType): unknown =>
  sampleFrom(z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }), "");

/** Values by the name of a field. */
const named: Readonly<Record<string, unknown>> = {
  name: "Larder",
  version: "2.4.0",
  consoleUrl: "https://larder.example/console",
  versions: ["android", "ios"].map((platform) => ({ platform, version: "240" })),
};
const formats: Readonly<Record<string, string>> = {
  uuid: "01a1fda4-237d-759b-ad89-7cf5663516dc",
  "date-time": "2026-11-21T09:30:00.000Z",
  date: "2026-11-21",
  uri: "https://larder.example/",
};

function sampleFrom(schema: z.core.JSONSchema._JSONSchema | undefined, name: string): unknown {
  if (name in named) return named[name];
  if (typeof schema !== "object") return "text";
  const { anyOf, oneOf, type } = schema;
  const [first] = anyOf ?? oneOf ?? [];
  if (first !== undefined) return sampleFrom(first, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (type === "object") return objectOf(schema);
  if (type === "array")
    return [sampleFrom(Array.isArray(schema.items) ? schema.items[0] : schema.items, name)];
  if (type === "integer" || type === "number") return Math.max(1, schema.minimum ?? 1);
  if (type === "boolean") return false;
  if (type === "null") return null;
  return formats[schema.format ?? ""] ?? "text";
}

const objectOf = ({ properties = {} }: Schema): unknown =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleFrom(schema, name)]));

/** The value with the element of each list repeated for each id. Cursors are null. */
function withIds(value: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const [first] = value;
    const key = ["openSlotId", "slotId", "id"].find((name) => Object.hasOwn(Object(first), name));
    return key === undefined || ids.length === 0 ? value : ids.map((id) => ({ ...first, [key]: id }));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === "nextCursor" ? null : withIds(one, ids)]),
  );
}
