import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { contract } from "../../../src/contract/index.ts";

/** Every endpoint of the API, by its name. */
export const endpoints: readonly (readonly [name: string, endpoint: Endpoint])[] = Object.entries(
  contract,
).flatMap(([group, members]) =>
  Object.entries(members).map(([name, endpoint]) => [`${group}.${name}`, endpoint] as const),
);

/** `METHOD path` of an endpoint, for the names of tests. */
export const titleOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

export const unknownId = "00000000-0000-4000-8000-000000000000";

/** The path of an endpoint with these parameters; an unknown id replaces missing ones. */
export const addressOf = ({ path }: Endpoint, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? unknownId);
