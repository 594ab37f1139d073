import type { Context } from "koa";

/** The path of a request; undefined where its target is a whole address that cannot be read. */
export function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}
