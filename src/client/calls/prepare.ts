import { InvalidInputError } from "../errors.ts";
import type { CallOptions, Content } from "./call.ts";
import type { Route } from "./routes.ts";

/** What any call may be given. */
export interface LooseInput extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly content?: Content;
}

/** A request without its credential. */
export interface PreparedRequest {
  readonly method: Route["method"];
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Content;
}

/** Fills in an endpoint's path, query and body. Throws an InvalidInputError where a part of the path is no name. */
export function prepare(baseUrl: string, route: Route, input: LooseInput): PreparedRequest {
  const url = new URL(baseUrl + filled(route.path, input.params ?? {}));
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) url.searchParams.append(name, String(value));
  }
  if (input.content) {
    return {
      method: route.method,
      url,
      headers: { "content-type": input.content.mediaType },
      body: input.content,
    };
  }
  if (input.body === undefined) return { method: route.method, url, headers: {} };
  return {
    method: route.method,
    url,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input.body),
  };
}

const filled = (path: string, params: Readonly<Record<string, unknown>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => segment(name, params[name]));

function segment(name: string, value: unknown): string {
  const text = String(value ?? "").trim();
  // A dot segment would make it the address of something else.
  if (text === "" || text === "." || text === "..")
    throw new InvalidInputError(`\`${name}\` is not an id: "${text}".`);
  return encodeURIComponent(text);
}
