import { Router, type RouterMiddleware } from "@koa/router";
import type { Middleware } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import type { Route } from "./mount.ts";

/**
 * Sends each request to its route. Addresses without parameters are found in one step, the others by the router;
 * HEAD is answered as GET. Throws `method_not_allowed` where only the method is unknown; else leaves it to `next`.
 */
export function routing(routes: readonly Route[]): RouterMiddleware {
  const fixed = new Map(
    routes.filter(({ path }) => !path.includes(":")).map((route) => [nameOf(route), route]),
  );
  const router = new Router();
  for (const route of routes) {
    router.register(route.path, [route.method], (ctx) => {
      ctx.state.route = route.path;
      return route.answer(ctx, ctx.params);
    });
  }
  const dispatch = router.routes();

  return async (ctx, next) => {
    const method = ctx.method === "HEAD" ? "GET" : ctx.method;
    const route = fixed.get(`${method} ${ctx.path}`);
    if (route) {
      ctx.state.route = route.path;
      return route.answer(ctx, {});
    }
    await dispatch(ctx, () => {
      const allow = methodsOf(router, ctx.path);
      if (allow.length > 0) throw new ApiError("method_not_allowed", { allow });
      return next();
    });
  };
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

function methodsOf(router: Router, path: string): string[] {
  return [...new Set(router.match(path, "GET").path.flatMap((layer) => layer.methods))].sort();
}

/** What no route answered. The address is not repeated: it may hold a secret. */
export const answerUnknown: Middleware = async () => {
  throw new ApiError("not_found");
};
