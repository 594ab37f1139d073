import type { Context } from "koa";
import { cloneElement, createContext, h, type VNode } from "preact";
import { useContext } from "preact/hooks";
import { renderToString } from "preact-render-to-string";
import { ApiError } from "../../src/contract/errors.ts";
import { waitIfTurnIsLong } from "../event-loop.ts";
import { isOwnOrigin, type PresentedCredentials } from "../http/authenticate.ts";
import type { SharedSteps } from "../http/pipeline.ts";
import type { Settings } from "../settings/settings.ts";

/** Options for the headers of a page. */
export interface PageTraits {
  /** Another origin to which a form of the page may be sent or redirected. */
  readonly formAction?: string;
  readonly referrerPolicy?: "no-referrer";
}

/**
 * Creates the function that sends replies. The function throws `busy` if too many long pages wait or memory is
 * short.
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
    const body = await renderInTurns(reply.document, {
      canRefuse: changedNothing(ctx.method, reply),
      isWanted: () => !ctx.res.destroyed,
    });
    if (ctx.method !== "HEAD") holdAnswer(ctx.res, { body, canRefuse: ctx.method === "GET" });
    ctx.status = reply.status;
    ctx.type = "text/html; charset=utf-8";
    ctx.body = body;
  };
}

/**
 * Whether a request has changed nothing. True for a read, and for a refused form of which nothing was saved.
 */
const changedNothing = (method: string, { status, sentFields = [] }: PageReply & SavedFields): boolean =>
  method === "GET" || method === "HEAD" || (status >= 400 && sentFields.length === 0);

/**
 * Returns the headers of a page. `formAction` lists the allowed form targets, as in a Content-Security-Policy.
 * (rule S18)
 */
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

/** The answer to a request: an HTML document or a redirect. */
export type Reply<Done extends string = never> = (PageReply | Redirect<Done>) & SavedFields;

interface SavedFields {
  /** The fields whose text was saved, if the form also has text that was not saved. */
  readonly sentFields?: readonly string[];
}

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

/** Returns a redirect to a page. `done` is the word for a form's result; `anchor` is an element id. */
export function goTo(location: string): Reply;

export function goTo<Done extends string>(location: string, done: Done, anchor?: string): Reply<Done>;

export function goTo(location: string, done?: string, anchor?: string): Reply<string> {
  const note = done === undefined ? "" : `${location.includes("?") ? "&" : "?"}done=${done}`;
  return { location: location + note + (anchor === undefined ? "" : `#${anchor}`), done };
}

/** Runs the action of a form. If the endpoint refuses the values, `again` shows the form with its faults. */
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

/** The items of a list that can be long. Other requests can run between two items. */
export const InTurns = ({ children }: { readonly children: readonly VNode[] }, context: object) => {
  const later = useContext(Later);
  if (later === undefined) return <>{children}</>;
  later.push({ items: children, context });
  // Each list needs a new element. A shared element would keep the last page in memory.
  return h(place, {});
};

/** Options for the rendering of a document. */
interface Rendering {
  /** Whether the document may be refused with `busy`. False if the request may have changed something. */
  readonly canRefuse?: boolean;
  /** Whether the client still waits for the document. Otherwise a long page that has waited is not rendered. */
  readonly isWanted?: () => boolean;
}

/**
 * Returns a document's HTML in UTF-8. Other requests can run meanwhile. Throws `busy` if too many long pages
 * wait.
 */
export async function renderInTurns(
  document: VNode,
  { canRefuse = false, isWanted = () => true }: Rendering = {},
): Promise<Buffer> {
  // Each piece is encoded separately, because encoding the whole text in one step would block other requests.
  const pieces = [Buffer.from("<!doctype html>")];
  const page = renderAround(document, {});
  const isLong = page.lists.some(({ items }) => items.length > mostItemsOfShort);
  if (isLong) await fillLong(page, { pieces, canRefuse, isWanted });
  else await fill(page, pieces);
  return Buffer.concat(pieces);
}

/** The maximum number of items per list of a short page. Pages with a longer list are long pages. */
const mostItemsOfShort = 100;

/** The maximum number of long pages that are rendered at the same time. */
const mostLongPages = 4;

/** The maximum number of long pages that wait until one of the pages being rendered is done. */
const mostWaiting = 12;

let longPages = 0;

/** The callbacks with which waiting long pages continue. */
const waitingPages: (() => void)[] = [];

/** Renders the lists of a long page. Waiting pages keep their data in memory, so only a few may wait. */
async function fillLong(
  page: Around,
  { pieces, canRefuse, isWanted }: Required<Rendering> & { readonly pieces: Buffer[] },
): Promise<void> {
  if (longPages < mostLongPages) longPages += 1;
  else {
    if (canRefuse && waitingPages.length >= mostWaiting)
      throw new ApiError("busy", {
        message: "The server is preparing too many long pages. Try again in a moment.",
        retryAfterSeconds: 5,
      });
    await new Promise<void>((resolve) => waitingPages.push(resolve));
  }
  try {
    if (isWanted()) await fill(page, pieces);
  } finally {
    const next = waitingPages.shift();
    if (next === undefined) longPages -= 1;
    else next();
  }
}

async function fill({ html, lists }: Around, pieces: Buffer[]): Promise<void> {
  pieces.push(Buffer.from(html[0] ?? ""));
  for (const [at, { items, context }] of lists.entries()) {
    for (const item of items) {
      await waitIfTurnIsLong();
      // Renders a copy of the item. The item itself would keep its content in memory.
      await fill(renderAround(cloneElement(item), context), pieces);
    }
    pieces.push(Buffer.from(html[at + 1] ?? ""));
  }
}

/** The HTML before, between and after the lists of a page or item. The items in `lists` are not rendered. */
interface Around {
  readonly html: readonly string[];
  readonly lists: readonly LongList[];
}

function renderAround(content: VNode, context: object): Around {
  const lists: LongList[] = [];
  const html = renderToString(<Later.Provider value={lists}>{content}</Later.Provider>, context);
  return { html: lists.length === 0 ? [html] : html.split(`<${place}></${place}>`), lists };
}

/** A list that is not rendered yet, with the context for its components. */
interface LongList {
  readonly items: readonly VNode[];
  readonly context: object;
}

/** Collects the lists that are found while a page or an item is rendered. */
const Later = createContext<LongList[] | undefined>(undefined);

/** The element that marks the position of a list. Texts of people are escaped, so they cannot contain this element. */
const place = "innkeep-list";

/** Throws `forbidden` if a form was sent from a page of another server. */
export function refuseForeignForm({ mutates, origin }: PresentedCredentials, settings: Settings): void {
  if (!mutates || isOwnOrigin(origin, settings)) return;
  throw new ApiError("forbidden", {
    message: "This form was not sent from a page of this server. Open the page and send it again.",
  });
}

/** Returns the result of `work`. Returns undefined if `work` throws `sign_in_required`. */
export async function unlessSignedOut<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === "sign_in_required") return undefined;
    throw error;
  }
}

/** Whether the client prefers HTML to JSON, as browsers do. A client that accepts everything gets errors as JSON. */
export const acceptsHtml = (ctx: Context): boolean => ctx.accepts("json", "html") === "html";
