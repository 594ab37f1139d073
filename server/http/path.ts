import type { Context } from "koa";

/** The path of a request. Undefined if its target is an absolute URL that cannot be parsed. */
export function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}
