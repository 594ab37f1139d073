import type { Auth, Endpoint, Group } from "../contract/endpoint.ts";
import { contract } from "../contract/index.ts";
import { isObject, valueAt } from "../contract/json.ts";
import type { CredentialKind } from "./credential-kinds.ts";

/** All that is needed to call an endpoint. */
export interface Route {
  readonly method: Endpoint["method"];
  readonly path: string;
  readonly auth: Auth | CredentialKind;
  readonly summary: string;
  /** Its answer may still be pending. It changes nothing and can be repeated. */
  readonly pending?: boolean;
  /** Its answer may be large. */
  readonly large?: boolean;
  /** Its answer is a file. */
  readonly download?: boolean;
  /** A request says what its sender's clock shows. */
  readonly readsClock?: boolean;
  /** The path parameter that must equal the `id` of the answer. */
  readonly repeats?: string;
  /** The shape of a success; undefined if it has no body or an unknown one. */
  readonly answer?: Shape;
}

/** The checked part of an answer: whether it is a list, and the fields of it or of its elements. */
export interface Shape {
  readonly isList: boolean;
  readonly fields: readonly string[];
  /** Servers may answer with other fields, or with none. */
  readonly isOpen?: boolean;
}

export type Routes = {
  readonly [G in keyof typeof contract]: { readonly [E in keyof (typeof contract)[G]]: Route };
};

/**
 * The contract without its schemas. The build replaces this code by the table, so that a call does not load zod.
 */
export const routes: Routes = summaryOf(contract);

function summaryOf(groups: Readonly<Record<string, Group>>) {
  const summaries = Object.entries(groups).map(([name, group]) => [name, routesOf(group)]);
  return Object.fromEntries(summaries);
}

function routesOf(group: Group) {
  return Object.fromEntries(Object.entries(group).map(([name, endpoint]) => [name, routeOf(endpoint)]));
}

function routeOf({ method, path, auth, summary, pending, repeats, large, ...rest }: Endpoint): Route {
  const { success, openAnswer, readsClock } = rest;
  const answer = "body" in success ? shapeOf(success.body) : undefined;
  return {
    method,
    path,
    auth,
    summary,
    ...(pending && { pending }),
    ...(repeats && { repeats }),
    ...(large && { large }),
    ...("download" in success && { download: true }),
    ...(readsClock && { readsClock }),
    answer: answer && { ...answer, ...(openAnswer && { isOpen: true }) },
  };
}

/** The shape that a schema describes; undefined if it is neither an object nor a list of objects. */
function shapeOf(schema: unknown): Shape | undefined {
  const definition = valueAt(schema, "_zod", "def");
  if (valueAt(definition, "type") === "array") {
    const element = shapeOf(valueAt(definition, "element"));
    return element && { isList: true, fields: element.fields };
  }
  const shape = valueAt(definition, "shape");
  return isObject(shape) ? { isList: false, fields: Object.keys(shape) } : undefined;
}
