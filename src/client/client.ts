import { contentOf } from "./answer.ts";
import type { Client } from "./call.ts";
import type { ClientOptions } from "./options.ts";
import type { LooseInput } from "./prepare.ts";
import { type Route, routes } from "./routes.ts";
import { createSender, type Sender } from "./send.ts";
import { lastingTransport } from "./transport.ts";

/**
 * The whole API as functions, derived from the contract, for a program that stays. Answers are passed on as they come,
 * unknown fields too.
 */
export const createClient = (options: ClientOptions): Client =>
  clientOf(createSender({ ...options, transport: options.transport ?? lastingTransport(options.proxy) }));

/** The whole API as functions, over a given sender. */
export function clientOf(send: Sender): Client {
  const groups = Object.entries(routes).map(([name, group]) => [name, callsOf(group, send)]);
  return Object.fromEntries(groups);
}

/** One group of the API as functions, over a given sender. */
export function groupOf<Name extends keyof Client>(name: Name, send: Sender): Pick<Client, Name> {
  const groups = [[name, callsOf(routes[name], send)]];
  return Object.fromEntries(groups);
}

const callsOf = (group: Readonly<Record<string, Route>>, send: Sender) =>
  Object.fromEntries(Object.entries(group).map(([name, route]) => [name, callOf(route, send)]));

const callOf = (route: Route, send: Sender) => async (input?: LooseInput) => {
  const success = await send(route, input);
  const content = contentOf(success, route, input?.params);
  input?.onEtag?.(success.headers.etag);
  return content;
};
