import type { Auth, Endpoint, Group } from "../../contract/endpoint.ts";
import { contract } from "../../contract/index.ts";
import type { CredentialKind } from "../credential-kinds.ts";
import { type Shape, shapeOf } from "./shape.ts";

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
  /** The path parameter that must equal the `id` of the answer. */
  readonly repeats?: string;
  /** The shape of a success; undefined if it has no body or an unknown one. */
  readonly answer?: Shape;
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

function routeOf({ method, path, auth, summary, pending, repeats, large, success }: Endpoint): Route {
  return {
    method,
    path,
    auth,
    summary,
    ...(pending && { pending }),
    ...(repeats && { repeats }),
    ...(large && { large }),
    answer: "body" in success ? shapeOf(success.body) : undefined,
  };
}
