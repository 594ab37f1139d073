import type { Auth, Endpoint, Group } from "../contract/endpoint.ts";
import { contract } from "../contract/index.ts";
import type { CredentialKind } from "./credential-kinds.ts";

/** What it takes to call an endpoint. */
export interface Route {
  readonly method: Endpoint["method"];
  readonly path: string;
  readonly auth: Auth | CredentialKind;
  readonly summary: string;
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

const routesOf = (group: Group) =>
  Object.fromEntries(Object.entries(group).map(([name, endpoint]) => [name, routeOf(endpoint)]));

const routeOf = ({ method, path, auth, summary }: Endpoint): Route => ({ method, path, auth, summary });
