import type { Context } from "koa";
import type { VNode } from "preact";
import { ApiError } from "../../src/contract/errors.ts";
import type { SharedSteps } from "../http/request-steps.ts";
import type { Settings } from "../settings/settings.ts";
import { renderInTurns } from "./in-turns.tsx";

/** Options for the headers of a page. */
export interface PageTraits {
  /** Another origin to which a form of the page may be sent. A redirect after the form may also lead to that origin. */
  readonly formAction?: string;
  readonly referrerPolicy?: "no-referrer";
}

/**
 * Creates the function that sends replies. Every page has strict headers and is never cached. For a large page, it
 * throws `busy` if answers that clients have not read yet use too much memory. It never throws this if the request has
 * changed something.
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

/** Returns the headers of a page whose forms may lead to `formAction`. (rule S18) */
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
      "worker-src 'self'",
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
    // With `no-referrer`, browsers send `Origin: null` with forms. Then forms of this server would look like forms of
    // other servers.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
  };
}

/**
 * The answer to a request: an HTML document, or a redirect. The address of a redirect has a word for the result of the
 * form.
 */
export type Reply<Done extends string = never> = (PageReply | Redirect<Done>) & {
  /** The fields whose text was saved, if the form also has text that was not saved. */
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
  /** The number of seconds after which a refused form may be sent again, if the refusal is temporary. */
  readonly retryAfterSeconds?: number | undefined;
}

export const show = (document: VNode, status = 200): Reply => ({ status, document });

/**
 * Returns a redirect, after which the browser sends a GET. `done` is the word for the result of a form. `anchor` is an
 * element of the next page.
 */
export function goTo(location: string): Reply;

export function goTo<Done extends string>(location: string, done: Done, anchor?: string): Reply<Done>;

export function goTo(location: string, done?: string, anchor?: string): Reply<string> {
  const note = done === undefined ? "" : `${location.includes("?") ? "&" : "?"}done=${done}`;
  return { location: location + note + (anchor === undefined ? "" : `#${anchor}`), done };
}

/**
 * Runs the action of a form. If the endpoint refuses the values, calls `again` to show the form with its faults. If the
 * values are not the reason for the error, throws the error again.
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
  // A form that was sent without a console session is shown again.
  "sign_in_required",
  "email_taken",
  "already_decided",
  "run_claimed",
  "merged",
  "run_open",
  "wrong_state",
  "tag_exists",
  "assignee_changed",
  "answered",
  "list_changed",
  "draft_conflict",
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
