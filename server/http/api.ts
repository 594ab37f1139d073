import type { Endpoint, Group } from "../../src/contract/endpoint.ts";
import type { Groups, Handler, Handlers, HandlersOf } from "./handler.ts";

/** A contract together with a handler for each of its endpoints. */
export interface Api<C extends Groups> {
  readonly contract: C;
  readonly handlers: HandlersOf<C>;
}

/** Gives what `make` returns for each endpoint of an API and its handler. */
export function mapEndpoints<C extends Groups, Made>(
  { contract, handlers }: Api<C>,
  make: <E extends Endpoint>(endpoint: E, handle: Handler<E>) => Made,
): Made[] {
  const inGroup = <G extends Group>(group: G, ofGroup: Handlers<G>): Made[] => {
    const names: (keyof G)[] = Object.keys(group);
    return names.map((name) => make(group[name], ofGroup[name]));
  };
  const groups: (keyof C)[] = Object.keys(contract);
  return groups.flatMap((name) => inGroup(contract[name], handlers[name]));
}
