import type { CallOptions, Content } from "./call.ts";
import { InvalidInputError } from "./errors.ts";
import type { Route } from "./routes.ts";

/** The input of any call. */
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

/**
 * Fills in the path, query and body of an endpoint. Throws an InvalidInputError for a path parameter that cannot be
 * part of a path.
 */
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
  // A dot segment would change the path.
  if (text === "" || text === "." || text === "..")
    throw new InvalidInputError(`\`${name}\` is not an id: "${text}".`);
  return encodeURIComponent(text);
}
