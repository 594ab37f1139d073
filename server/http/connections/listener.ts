import { createServer, type Server } from "node:http";
import type Koa from "koa";
import type { Deps } from "../../deps.ts";
import type { Budgets } from "../../settings/budgets.ts";
import { answerConnectionFaults } from "./connection-faults.ts";
import { limitConnections } from "./connections.ts";

/** How often the server looks for heads and requests that take too long. */
const mostCheckMilliseconds = 1_000;

/** Makes an HTTP server with the time limits of the budgets. It does not listen yet. */
export function createListener(budgets: Budgets): Server {
  const server = createServer({
    headersTimeout: budgets.headMilliseconds,
    requestTimeout: budgets.requestMilliseconds,
    connectionsCheckingInterval: Math.min(mostCheckMilliseconds, budgets.headMilliseconds),
    keepAliveTimeout: budgets.idleMilliseconds,
  });
  server.timeout = budgets.stalledMilliseconds;
  return server;
}

/** Answers all requests of a server with `app`, and keeps its connections within their limits. */
export function attach(server: Server, app: Koa, deps: Pick<Deps, "log" | "settings">): void {
  server.on("request", app.callback());
  answerConnectionFaults(server, deps);
  limitConnections(server, deps);
}
