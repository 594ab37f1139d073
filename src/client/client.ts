import { contentOf } from "./answer.ts";
import type { Client } from "./call.ts";
import type { ClientOptions } from "./options.ts";
import type { LooseInput } from "./prepare.ts";
import { type Route, routes } from "./routes.ts";
import { createSender, type Sender } from "./sender.ts";

/** The whole API as functions, derived from the contract. Answers are passed on as they come, unknown fields too. */
export const createClient = (options: ClientOptions): Client => clientOf(createSender(options));

/** The same, over a sender that exists already. */
export function clientOf(send: Sender): Client {
  const groups = Object.entries(routes).map(([name, group]) => [name, callsOf(group, send)]);
  return Object.fromEntries(groups);
}

const callsOf = (group: Readonly<Record<string, Route>>, send: Sender) =>
  Object.fromEntries(Object.entries(group).map(([name, route]) => [name, callOf(route, send)]));

const callOf = (route: Route, send: Sender) => async (input?: LooseInput) =>
  contentOf(await send(route, input), route, input?.params);
