import type { Context } from "koa";
import type { VNode } from "preact";
import type { Deps } from "../deps.ts";
import { answerErrors } from "../http/answers.ts";
import type { Route, SharedSteps } from "../http/pipeline.ts";
import { answerWithErrorPage, showErrorPage } from "./layout.tsx";
import { consolePathOf, createLinks, type Links } from "./links.ts";
import { createRespond, type Reply, show } from "./respond.tsx";

/** The values that all pages for secret links use. */
export interface LinkPages {
  /** The addresses of the console. */
  readonly links: Links;
  /** The path of these pages on the server, without the token. */
  readonly base: string;
  /** Returns the route of one page. `part` is the path after the token. */
  route(
    method: "GET" | "POST",
    handler: (ctx: Context, token: string) => Promise<Reply<string>>,
    part?: string,
  ): Route;
}

/**
 * Prepares pages with a secret link. `noSuchLink` returns the same page for all wrong links, so that this page
 * reveals nothing.
 */
export function createLinkPages(
  deps: Pick<Deps, "log" | "settings">,
  steps: SharedSteps,
  { path, noSuchLink }: { readonly path: string; readonly noSuchLink: (links: Links) => VNode },
): LinkPages {
  const { settings } = deps;
  const respond = createRespond(settings, steps);
  const links = createLinks(consolePathOf(settings).href);
  const orErrorPage = answerErrors(
    deps,
    answerWithErrorPage({ settings, steps }, (ctx, error) =>
      error.code === "not_found"
        ? show(noSuchLink(links), 404)
        : showErrorPage(links, error, { requestId: String(ctx.state.requestId), typed: [] }),
    ),
  );
  return {
    links,
    base: new URL(settings.baseUrl).pathname.replace(/\/$/, "") + path,
    route: (method, handler, part = "") => ({
      method,
      path: `${path}/:token${part}`,
      answer: (ctx, { token = "" }) =>
        orErrorPage(ctx, async () => {
          ctx.set("X-Robots-Tag", "noindex, nofollow");
          await respond(ctx, await handler(ctx, token));
        }),
    }),
  };
}
