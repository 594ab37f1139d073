import type { Context } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import type { AnswerWithPage } from "../http/errors.ts";
import type { Door } from "../http/mount.ts";
import { pathOf } from "../http/routing.ts";
import type { Settings } from "../settings/settings.ts";
import { acceptsHtml } from "./browser-request.ts";
import { type ConsolePath, consolePathOf, pageOfForm, returnPath } from "./console-path.ts";
import { createLinks, type Links } from "./links.ts";
import { showErrorPage } from "./page.tsx";
import { goTo, type Reply } from "./reply.ts";
import { createRespond } from "./respond.ts";
import { rememberedAct, rememberedForm, unsavedTextsIn } from "./unsaved-text.ts";

/** The reply to a browser whose request failed: an error page, or a redirect. */
export type ShowError = (ctx: Context, error: ApiError, links: Links) => Reply;

interface PageDeps {
  readonly settings: Pick<Settings, "baseUrl" | "consoleUrl">;
  readonly door: Pick<Door, "holdAnswer">;
}

/** Answers the failed requests of browsers with what `show` gives. Other clients get the error as JSON. */
export function answerWithErrorPage({ settings, door }: PageDeps, show: ShowError): AnswerWithPage {
  const links = createLinks(consolePathOf(settings).href);
  const respond = createRespond(settings, door);
  return async (ctx, error) => {
    if (!acceptsHtml(ctx)) return false;
    await respond(ctx, show(ctx, error, links));
    return true;
  };
}

/**
 * Answers an error below the console's path with a page when the client is a browser. A browser without a console
 * session is sent to the sign-in page. Every other client gets JSON.
 */
export function createErrorPages({ settings, door }: PageDeps): AnswerWithPage {
  const consolePath = consolePathOf(settings);
  const { mountedAt } = consolePath;
  const isPage = (path: string) =>
    path === mountedAt || (path.startsWith(`${mountedAt}/`) && !/^\/(api|uploads)\//.test(path));

  const answer = answerWithErrorPage({ settings, door }, (ctx, error, links) =>
    error.code === "sign_in_required"
      ? goTo(`${links.signIn}?${new URLSearchParams({ to: wantedPage(ctx, consolePath) })}`)
      : showErrorPage(links, asSeen(ctx, error), {
          requestId: String(ctx.state.requestId),
          typed: unsavedTextsIn(rememberedForm(ctx.req)),
          act: rememberedAct(ctx.req),
          from: ctx.method === "POST" ? returnPath(pageOfForm(ctx), settings.consoleUrl, "") : "",
        }),
  );
  return async (ctx, error) => isPage(pathOf(ctx) ?? "") && answer(ctx, error);
}

/** A page has its ids and cursors in the address. A wrong one means that there is no such page. */
const asSeen = ({ method }: Context, error: ApiError): ApiError =>
  method === "GET" && error.code === "bad_request" ? new ApiError("not_found", {}, { cause: error }) : error;

/** The page to open after signing in: the requested page, or the one whose form was sent. */
const wantedPage = (ctx: Context, { href, mountedAt }: ConsolePath): string =>
  ctx.method === "GET" ? href + (ctx.req.url ?? "").slice(mountedAt.length) : pageOfForm(ctx);
