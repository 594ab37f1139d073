import type { Auth, Endpoint, Group } from "../../contract/endpoint.ts";
import { contract } from "../../contract/index.ts";
import type { CredentialKind } from "../credential-kinds.ts";
import { type Shape, shapeOf } from "./shape.ts";

/** What it takes to call an endpoint. */
export interface Route {
  readonly method: Endpoint["method"];
  readonly path: string;
  readonly auth: Auth | CredentialKind;
  readonly summary: string;
  /** It may say that there is nothing to say yet; it only looks, so that it can be asked again. */
  readonly pending?: boolean;
  /** Its answer may be large. */
  readonly large?: boolean;
  /** The parameter of the path that the answer's `id` repeats. */
  readonly repeats?: string;
  /** What a success holds; undefined where that is nothing, or not known. */
  readonly answer?: Shape;
}

export type Routes = {
  readonly [G in keyof typeof contract]: { readonly [E in keyof (typeof contract)[G]]: Route };
};

/** The contract without its schemas. The build puts this table in place of the code, so that a call loads no zod. */
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
