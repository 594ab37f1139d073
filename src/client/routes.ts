import type { Auth, Endpoint, Group } from "../contract/endpoint.ts";
import { contract } from "../contract/index.ts";

/** What it takes to call an endpoint. */
export interface Route {
  readonly method: Endpoint["method"];
  readonly path: string;
  readonly auth: Auth;
  readonly summary: string;
}

export type Routes = {
  readonly [G in keyof typeof contract]: { readonly [E in keyof (typeof contract)[G]]: Route };
};

/** The contract without its schemas. The build puts this table in place of the code, so that a call loads no zod. */
export const routes: Routes = summaryOf(contract);

function summaryOf(groups: Readonly<Record<string, Group>>) {
  return Object.fromEntries(
    Object.entries(groups).map(([name, group]) => [
      name,
      Object.fromEntries(Object.entries(group).map(([key, endpoint]) => [key, routeOf(endpoint)])),
    ]),
  );
}

const routeOf = ({ method, path, auth, summary }: Endpoint): Route => ({ method, path, auth, summary });
