import type { Context, Next } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { asApiError, report } from "../http/errors.ts";
import { createLinks } from "./links.ts";
import { showRefusal } from "./pages/refusal.tsx";
import { type Place, placeOf } from "./place.ts";
import { goTo } from "./reply.ts";
import { createRespond } from "./respond.ts";

/**
 * Answers what fails below the console's address with a page, where a browser asks for one, and sends it to sign in
 * first where that is what is missing. Everything else is left to the answers in JSON.
 */
export function answerConsoleRefusals(deps: Pick<Deps, "settings" | "log">) {
  const place = placeOf(deps.settings);
  const { mountedAt } = place;
  const links = createLinks(place.href);
  const respond = createRespond(deps.settings);
  const isPage = (path: string) =>
    path === mountedAt || (path.startsWith(`${mountedAt}/`) && !/^\/(api|uploads)\//.test(path));

  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const wantsPage = isPage(ctx.path) && String(ctx.req.headers.accept).includes("text/html");
      if (!wantsPage || ctx.res.headersSent) throw thrown;
      const error = asApiError(thrown);
      report(deps, ctx, error, thrown);
      // What of the body was not read would be taken for the next request.
      if (!ctx.req.complete) ctx.set("Connection", "close");
      const { retryAfterSeconds, allow } = error.details;
      if (retryAfterSeconds !== undefined) ctx.set("Retry-After", String(retryAfterSeconds));
      if (allow) ctx.set("Allow", allow.join(", "));
      const unsigned = error.code === "sign_in_required";
      respond(
        ctx,
        unsigned
          ? goTo(`${links.signIn}?${new URLSearchParams({ to: wanted(ctx, place) })}`)
          : showRefusal(links, asSeen(ctx, error), String(ctx.state.requestId)),
      );
    }
  };
}

/** Ids and cursors stand in the address of a page: a wrong one is an address at which there is nothing. */
const asSeen = ({ method }: Context, error: ApiError): ApiError =>
  method === "GET" && error.code === "bad_request" ? new ApiError("not_found", {}, { cause: error }) : error;

/** Where to go after signing in: the page that was asked for, or the one whose form was sent. */
function wanted({ method, req }: Context, { href, mountedAt }: Place): string {
  if (method === "GET") return href + (req.url ?? "").slice(mountedAt.length);
  const { referer } = req.headers;
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).pathname : "";
}
