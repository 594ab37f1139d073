import type { Endpoint } from "../../src/contract/endpoint.ts";
import {
  applyLimit,
  type Call,
  callHandler,
  catchUp,
  checkScope,
  checkShape,
  countAttempts,
  type InvokeDeps,
  newCall,
  refuse,
  replayAnswer,
  shapeAnswer,
} from "./call-steps.ts";
import {
  type Api,
  type Groups,
  type Handler,
  type Invoke,
  mapEndpoints,
  type Request,
  type ServedEndpoint,
  servedBy,
} from "./handler.ts";
import {
  callEndpoint,
  compareClocks,
  countRefusal,
  createBodyReader,
  type Exchange,
  findCaller,
  keepAnswer,
  type MountDeps,
  nameSuccessor,
  newExchange,
  type Route,
  readBody,
  type SharedSteps,
  sendAnswer,
  uncountRepeat,
} from "./request-steps.ts";

/**
 * The steps of a request of the API, in order. Before these steps, the server looks for a ready answer (`ready.ts`),
 * then Koa logs the request and finds its route (`app.ts`). (rule H5)
 */
export const requestSteps: readonly Step<Exchange>[] = [
  nameSuccessor,
  findCaller,
  compareClocks,
  readBody,
  callEndpoint,
  uncountRepeat,
  sendAnswer,
  keepAnswer,
];

/**
 * The steps of a call of an endpoint, in order. The call comes from a request of the API, a page of the console or an
 * MCP tool.
 */
export const callSteps: readonly Step<Call>[] = [
  checkScope,
  replayAnswer,
  countAttempts,
  checkShape,
  applyLimit,
  catchUp,
  callHandler,
  shapeAnswer,
];

/** A step reads and sets fields of its request or call. If the step throws, the error is the answer. */
type Step<Of> = (of: Of) => Promise<void> | void;

/** Returns the routes of an API. This is the only code that connects the contract with Koa. */
export const mount = <C extends Groups>(api: Api<C>, deps: MountDeps, steps: SharedSteps): Route[] =>
  mapEndpoints(api, (endpoint, handle) =>
    routeOf(servedBy(endpoint, handle), createInvoke(endpoint, handle, deps), deps, steps),
  );

function routeOf(endpoint: ServedEndpoint, invoke: Invoke, deps: MountDeps, steps: SharedSteps): Route {
  const readReceived = createBodyReader(deps, steps);
  return {
    method: endpoint.method,
    path: endpoint.path,
    async answer(ctx, params) {
      const exchange = newExchange({ ctx, endpoint, params, deps, steps, invoke, readReceived });
      try {
        for (const step of requestSteps) {
          const pending = step(exchange);
          if (pending) await pending;
        }
      } catch (thrown) {
        await countRefusal(exchange, thrown);
      } finally {
        if (exchange.body.discard) await exchange.body.discard();
      }
    },
  };
}

/**
 * Creates the function that answers a call of an endpoint. It runs `callSteps`, and one of these steps calls the
 * handler. It throws the ApiErrors that the endpoint declares.
 */
export function createInvoke<E extends Endpoint>(endpoint: E, handle: Handler<E>, deps: InvokeDeps): Invoke {
  // The cast is safe, because the schemas of this endpoint have checked the parts of the request.
  const handleAny = (request: Request) => handle(request as Request<E>);
  const served = servedBy(endpoint, handle);
  return async (incoming) => {
    const call = newCall({ endpoint: served, handle: handleAny, deps, incoming });
    try {
      for (const step of callSteps) {
        const pending = step(call);
        if (pending) await pending;
        if (call.outcome) return call.outcome;
      }
    } catch (thrown) {
      return await refuse(call, thrown);
    }
    throw new Error(`${endpoint.path} has no answer`);
  };
}
