import type { Client } from "./call.ts";
import { type Caller, createCaller } from "./caller.ts";
import type { ClientOptions } from "./options.ts";
import type { LooseInput } from "./prepare.ts";
import { type Route, routes } from "./routes.ts";

/** The whole API as functions, derived from the contract. Answers are passed on as they come, unknown fields too. */
export const createClient = (options: ClientOptions): Client => clientOf(createCaller(options));

/** The same, over a caller that exists already. */
export function clientOf(caller: Caller): Client {
  const groups = Object.entries(routes).map(([name, group]) => [name, callsOf(group, caller)]);
  return Object.fromEntries(groups);
}

const callsOf = (group: Readonly<Record<string, Route>>, caller: Caller) =>
  Object.fromEntries(
    Object.entries(group).map(([name, route]) => [name, (input?: LooseInput) => caller(route, input)]),
  );
