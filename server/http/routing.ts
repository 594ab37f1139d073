import { Router, type RouterMiddleware } from "@koa/router";
import type { Context, Middleware, Next } from "koa";
import { ApiError, badRequest } from "../../src/contract/errors.ts";
import type { Route } from "./request-steps.ts";

/**
 * Sends each request to its route. Paths without parameters are found in one step, the others by the router of their
 * area. HEAD is answered like GET. Throws `method_not_allowed` if only the method is unknown, `bad_request` if the
 * target is not an address. Calls `next` for unknown paths.
 */
export function routing(routes: readonly Route[]): RouterMiddleware {
  const fixed = new Map(
    routes.filter(({ path }) => !path.includes(":")).map((route) => [nameOf(route), route]),
  );
  const everything = routerOf(routes);
  const areas = new Map(
    [...new Set(routes.map(({ path }) => areaOf(path)))].map((area) => [
      area,
      routerOf(routes.filter(({ path }) => areaOf(path) === area)).routes(),
    ]),
  );
  const dispatch = everything.routes();

  return async (ctx, next) => {
    const method = ctx.method === "HEAD" ? "GET" : ctx.method;
    const path = pathOf(ctx);
    if (hasTwoHosts(ctx.req.rawHeaders)) throw badRequest("", "The request has more than one Host header");
    if (path === undefined) throw badRequest("", "The request's target is not an address");
    // The routers read `ctx.path`, too.
    if (path !== ctx.path) ctx.path = path;
    const route = fixed.get(`${method} ${path}`);
    if (route) {
      ctx.state.route = route.path;
      return route.answer(ctx, {});
    }
    const unmatched = () => {
      const allow = methodsOf(everything, path);
      if (allow.length > 0) throw new ApiError("method_not_allowed", { allow });
      return next();
    };
    const near = areas.get(areaOf(path));
    await (near ? near(ctx, () => dispatch(ctx, unmatched)) : dispatch(ctx, unmatched));
  };
}

/**
 * The path of a request, in which no letter or digit is encoded: `%65` means `e` (RFC 3986, 6.2.2.2). Undefined if its target
 * is an absolute URL that cannot be parsed.
 */
export function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path.replace(/%(?:3\d|[46][1-9a-f]|[57][\da])/gi, decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** HTTP readers disagree on which Host header counts. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

function routerOf(routes: readonly Route[]): Router {
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    router.register(route.path, [route.method], (ctx) => {
      ctx.state.route = route.path;
      return route.answer(ctx, ctx.params);
    });
  }
  return router;
}

/**
 * The first three parts of a path, such as `/api/v1/agent`. A router tries all its routes, so each area has a router
 * with only a few.
 */
const areaOf = (path: string): string => path.split("/", 4).join("/");

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

function methodsOf(router: Router, path: string): string[] {
  return [...new Set(router.match(path, "GET").path.flatMap((layer) => layer.methods))].sort();
}

/** Answers what no route has answered. The address is not repeated: it may hold a secret. */
export const answerUnknown: Middleware = async () => {
  throw new ApiError("not_found");
};

const allowed = {
  "Access-Control-Allow-Methods": "GET, POST, PATCH, PUT, DELETE",
  "Access-Control-Allow-Headers":
    "Content-Type, X-Api-Key, Authorization, Idempotency-Key, If-Match, If-None-Match, Mcp-Protocol-Version, Mcp-Method, Mcp-Name",
  "Access-Control-Expose-Headers": "ETag, Retry-After, X-Request-Id, Idempotent-Replay, WWW-Authenticate",
  "Access-Control-Max-Age": "600",
};

/** Lets pages of the listed origins call the API, without cookies. Other origins are not allowed. */
export function allowOrigins(origins: readonly string[]) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { origin } = ctx.req.headers;
    if (origin === undefined || !origins.includes(origin)) return next();
    ctx.set("Access-Control-Allow-Origin", origin);
    ctx.vary("Origin");
    ctx.set(allowed);
    if (ctx.method !== "OPTIONS") return next();
    ctx.status = 204;
  };
}
