import type { Context } from "koa";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Door } from "../../../http/mount.ts";

/** Who is signed in to the console in this browser. */
export function createCallerOf({ authenticate, readCredentials }: Door) {
  const ask = (ctx: Context, mutates: boolean) => authenticate("session", readCredentials(ctx, mutates));
  return {
    /** Throws `sign_in_required`, and `forbidden` for a form of a foreign page. */
    requireCaller: (ctx: Context) => ask(ctx, true),
    findCaller: (ctx: Context) =>
      ask(ctx, false).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === "sign_in_required") return undefined;
        throw error;
      }),
  };
}
