import type { Auth, Endpoint, Group } from "../contract/endpoint.ts";
import { contract } from "../contract/index.ts";
import { isObject, valueAt } from "../contract/json.ts";
import type { CredentialKind } from "./connection.ts";

/** All that is needed to call an endpoint. */
export interface Route {
  readonly method: Endpoint["method"];
  readonly path: string;
  readonly auth: Auth | CredentialKind;
  readonly summary: string;
  /**
   * Whether the server may answer that there is no result yet. Requests to this route can always be repeated.
   */
  readonly pending?: boolean;
  /** Whether the answer may be large. */
  readonly large?: boolean;
  /** Whether the answer is a file. */
  readonly download?: boolean;
  /** Whether a request must contain the time of the sender's clock. */
  readonly readsClock?: boolean;
  /** The path parameter that must equal the `id` of the answer. */
  readonly repeats?: string;
  /** The shape of a successful answer. Undefined if the answer has no body, or if its shape is not known. */
  readonly answer?: Shape;
}

/**
 * What the client checks in an answer. `fields` are the names of the fields of the object, or of each list
 * element.
 */
export interface Shape {
  readonly isList: boolean;
  readonly fields: readonly string[];
  /** Whether the shape is open: servers may answer with other fields or without fields. */
  readonly isOpen?: boolean;
}

export type Routes = {
  readonly [G in keyof typeof contract]: { readonly [E in keyof (typeof contract)[G]]: Route };
};

/** The contract without schemas. The build replaces this code with its result, so that calls load no zod. */
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
    ...(("download" in success || "events" in success) && { download: true }),
    ...(readsClock && { readsClock }),
    answer: answer && { ...answer, ...(openAnswer && { isOpen: true }) },
  };
}

/** Returns the shape of a schema for an object or a list of objects; otherwise undefined. */
function shapeOf(schema: unknown): Shape | undefined {
  const definition = valueAt(schema, "_zod", "def");
  if (valueAt(definition, "type") === "array") {
    const element = shapeOf(valueAt(definition, "element"));
    return element && { isList: true, fields: element.fields };
  }
  const shape = valueAt(definition, "shape");
  return isObject(shape) ? { isList: false, fields: Object.keys(shape) } : undefined;
}
