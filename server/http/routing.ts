import { Router, type RouterMiddleware } from "@koa/router";
import type { Context, Middleware, Next } from "koa";
import { ApiError, badRequest } from "../../src/contract/errors.ts";
import type { Route } from "./request-steps.ts";

/**
 * Calls the route of each request. A map finds paths without parameters; routers find the others. HEAD is treated like GET.
 * Throws `method_not_allowed` for a known path with another method, and `bad_request` if the target is not an address. Calls
 * `next` for unknown paths.
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
 * The path of a request, with encoded letters and digits decoded: `%65` means `e` (RFC 3986, 6.2.2.2). Undefined if the target of
 * the request is an absolute URL that cannot be parsed.
 */
export function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path.replace(/%(?:3\d|[46][1-9a-f]|[57][\da])/gi, decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Servers and proxies disagree on which of two Host headers counts. */
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
 * The first three parts of a path, such as `/api/v1/agent`. A router tries its routes one after the other, so each area has a
 * router of its own.
 */
const areaOf = (path: string): string => path.split("/", 4).join("/");

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

function methodsOf(router: Router, path: string): string[] {
  return [...new Set(router.match(path, "GET").path.flatMap((layer) => layer.methods))].sort();
}

/** Throws `not_found` for requests without a route. The message does not repeat the address, which may hold a secret. */
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

/** Allows pages of the listed origins to call the API, without cookies (CORS). */
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
