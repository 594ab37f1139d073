import type { Context } from "koa";
import type { SharedSteps } from "../http/request-steps.ts";
import type { Settings } from "../settings/settings.ts";
import { renderInTurns } from "./in-turns.tsx";
import type { Reply } from "./reply.ts";

/** Options for the headers of a page. */
export interface PageTraits {
  /** Another origin to which a form of the page may lead, also by a redirect after the form. */
  readonly formAction?: string;
  readonly referrerPolicy?: "no-referrer";
}

/**
 * Makes a function that sends replies. Every page has strict headers and is never cached. Throws `busy` for a large page if too much
 * memory is used by answers that clients have not read, unless the request has changed something.
 */
export function createRespond(
  settings: Pick<Settings, "baseUrl" | "consoleUrl">,
  { holdAnswer }: Pick<SharedSteps, "holdAnswer">,
) {
  const usual = pageHeaders(settings, "'self'");
  return async (
    ctx: Context,
    reply: Reply<string>,
    { formAction, referrerPolicy }: PageTraits = {},
  ): Promise<void> => {
    ctx.set(formAction === undefined ? usual : pageHeaders(settings, `'self' ${formAction}`));
    if (referrerPolicy !== undefined) ctx.set("Referrer-Policy", referrerPolicy);
    if ("location" in reply) {
      ctx.status = 303;
      ctx.set("Location", reply.location);
      return;
    }
    const { retryAfterSeconds } = reply;
    if (retryAfterSeconds !== undefined) ctx.set("Retry-After", String(retryAfterSeconds));
    const body = await renderInTurns(reply.document);
    if (ctx.method !== "HEAD") holdAnswer(ctx.res, { body, canRefuse: ctx.method === "GET" });
    ctx.status = reply.status;
    ctx.type = "text/html; charset=utf-8";
    ctx.body = body;
  };
}

/** The headers of a page whose forms may lead to `formAction`. */
export function pageHeaders(
  { baseUrl, consoleUrl }: Pick<Settings, "baseUrl" | "consoleUrl">,
  formAction: string,
) {
  const uploads = new URL(baseUrl).origin;
  const files = uploads === new URL(consoleUrl).origin ? "'self'" : `'self' ${uploads}`;
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      `img-src ${files}`,
      `media-src ${files}`,
      `form-action ${formAction}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    // With `no-referrer`, browsers send `Origin: null` with forms, and our forms would look like forms of other servers.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
  };
}
