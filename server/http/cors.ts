import type { Context, Next } from "koa";

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
