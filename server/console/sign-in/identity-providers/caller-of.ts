import type { Context } from "koa";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Door } from "../../../http/mount.ts";

/** Who is signed in to the console in this browser. */
export function createCallerOf({ authenticate }: Door, cookieName: string) {
  const ask = ({ req, cookies }: Context, mutates: boolean) =>
    authenticate("session", {
      apiKey: undefined,
      authorization: req.headers.authorization,
      sessionId: cookies.get(cookieName),
      known: undefined,
      mutates,
      origin: req.headers.origin,
    });
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
