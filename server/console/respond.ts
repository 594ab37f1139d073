import type { Context } from "koa";
import type { VNode } from "preact";
import { ApiError } from "../../src/contract/errors.ts";
import type { SharedSteps } from "../http/request-steps.ts";
import type { Settings } from "../settings/settings.ts";
import { renderInTurns } from "./in-turns.tsx";

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

/** The answer to a request: an HTML document, or a redirect to an address with a word for the result of the form. */
export type Reply<Done extends string = never> = (PageReply | Redirect<Done>) & {
  /** The fields whose text was used, if the form has other text, too. */
  readonly sentFields?: readonly string[];
};

interface Redirect<Done extends string> {
  readonly location: string;
  /** The word in `location` for the result of a form. */
  readonly done?: Done | undefined;
}

interface PageReply {
  readonly status: number;
  readonly document: VNode;
  /** When the form may be sent again, if it was refused only for now. */
  readonly retryAfterSeconds?: number | undefined;
}

export const show = (document: VNode, status = 200): Reply => ({ status, document });

/** Redirects the browser, which then sends a GET. `done`: the word for the result of a form; `anchor`: an element of the next page. */
export function goTo(location: string): Reply;

export function goTo<Done extends string>(location: string, done: Done, anchor?: string): Reply<Done>;

export function goTo(location: string, done?: string, anchor?: string): Reply<string> {
  const note = done === undefined ? "" : `${location.includes("?") ? "&" : "?"}done=${done}`;
  return { location: location + note + (anchor === undefined ? "" : `#${anchor}`), done };
}

/**
 * Runs the action of a form. If the endpoint refuses the values, shows the form `again` with its faults. Rethrows an error that other
 * values could not avoid.
 */
export async function reshowForm<Done extends string = never>(
  act: () => Promise<Reply<Done>>,
  again: (refusal: ApiError) => Promise<Reply>,
): Promise<Reply<Done>> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || !refusesValues.has(error.code)) throw error;
    const { retryAfterSeconds } = error.details;
    return { ...(await again(error)), retryAfterSeconds };
  }
}

const refusesValues: ReadonlySet<string> = new Set([
  "bad_request",
  "invalid_code",
  "invalid_credentials",
  "invalid_second_factor",
  // For a form that was sent without a console session, which is only shown again.
  "sign_in_required",
  "email_taken",
  "already_decided",
  "run_claimed",
  "wrong_state",
  "tag_exists",
  "assignee_changed",
  "answered",
  "version_exists",
  "already_member",
  "last_owner",
  "own_listing",
  "already_in_cycle",
  "slot_taken",
  "cycle_not_open",
  "idempotency_in_progress",
  "idempotency_mismatch",
  "rate_limited",
  "busy",
] satisfies ApiError["code"][]);
