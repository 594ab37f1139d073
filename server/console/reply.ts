import type { VNode } from "preact";
import { ApiError } from "../../src/contract/errors.ts";

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
