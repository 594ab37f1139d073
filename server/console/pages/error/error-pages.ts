import type { Context } from "koa";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { AnswerWithPage } from "../../../http/errors.ts";
import { pathOf } from "../../../http/path.ts";
import type { Settings } from "../../../settings/settings.ts";
import { type ConsolePath, consolePathOf, pageOfForm } from "../../console-path.ts";
import { createLinks, type Links } from "../../links.ts";
import { goTo, type Reply } from "../../reply.ts";
import { createRespond } from "../../respond.ts";
import { showErrorPage } from "./page.tsx";
import { rememberedForm, unsavedTextsIn } from "./unsaved-text.ts";

/** Makes the page for a browser whose request failed, or sends the browser on. */
export type ShowError = (ctx: Context, error: ApiError, links: Links) => Reply;

/** Answers the failed requests of browsers with what `show` gives. Other clients get the error as JSON. */
export function answerWithErrorPage(
  settings: Pick<Settings, "baseUrl" | "consoleUrl">,
  show: ShowError,
): AnswerWithPage {
  const links = createLinks(consolePathOf(settings).href);
  const respond = createRespond(settings);
  return (ctx, error) => {
    if (!String(ctx.req.headers.accept).includes("text/html")) return false;
    respond(ctx, show(ctx, error, links));
    return true;
  };
}

/**
 * Answers what fails below the console's address with a page, where a browser asks for one, and sends it to sign in
 * first where that is what is missing. Everything else is left to the answers in JSON.
 */
export function createErrorPages(settings: Settings): AnswerWithPage {
  const place = consolePathOf(settings);
  const { mountedAt } = place;
  const isPage = (path: string) =>
    path === mountedAt || (path.startsWith(`${mountedAt}/`) && !/^\/(api|uploads)\//.test(path));

  const answer = answerWithErrorPage(settings, (ctx, error, links) =>
    error.code === "sign_in_required"
      ? goTo(`${links.signIn}?${new URLSearchParams({ to: wanted(ctx, place) })}`)
      : showErrorPage(links, asSeen(ctx, error), {
          requestId: String(ctx.state.requestId),
          typed: unsavedTextsIn(rememberedForm(ctx.req)),
        }),
  );
  return (ctx, error) => isPage(pathOf(ctx) ?? "") && answer(ctx, error);
}

/** Ids and cursors stand in the address of a page: a wrong one is an address at which there is nothing. */
const asSeen = ({ method }: Context, error: ApiError): ApiError =>
  method === "GET" && error.code === "bad_request" ? new ApiError("not_found", {}, { cause: error }) : error;

/** Where to go after signing in: the page that was asked for, or the one whose form was sent. */
const wanted = (ctx: Context, { href, mountedAt }: ConsolePath): string =>
  ctx.method === "GET" ? href + (ctx.req.url ?? "").slice(mountedAt.length) : pageOfForm(ctx);
