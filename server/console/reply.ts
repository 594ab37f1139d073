import type { VNode } from "preact";
import { ApiError } from "../../src/contract/errors.ts";

/** The answer to a visit: a whole HTML document, or a redirect to another address with a word for what was done. */
export type Reply<Done extends string = never> = (PageReply | Redirect<Done>) & {
  /** The fields whose text was acted on, if the form holds other text, too. */
  readonly sentFields?: readonly string[];
};

interface Redirect<Done extends string> {
  readonly location: string;
  /** The word in `location` for what a form did. */
  readonly done?: Done | undefined;
}

interface PageReply {
  readonly status: number;
  readonly document: VNode;
  /** When the form may be sent again, after a refusal for now. */
  readonly retryAfterSeconds?: number | undefined;
}

export const show = (document: VNode, status = 200): Reply => ({ status, document });

/** Redirects the browser. `done` is the word for what a form did; `anchor` is a place on that page. (303: with GET) */
export function goTo(location: string): Reply;
export function goTo<Done extends string>(location: string, done: Done, anchor?: string): Reply<Done>;
export function goTo(location: string, done?: string, anchor?: string): Reply<string> {
  const note = done === undefined ? "" : `${location.includes("?") ? "&" : "?"}done=${done}`;
  return { location: location + note + (anchor === undefined ? "" : `#${anchor}`), done };
}

/**
 * Runs the action of a form. When the endpoint refuses the values, shows the form `again` with its faults. Throws a
 * refusal that no other values could change.
 */
export async function reshowForm<Done extends string = never>(
  act: () => Promise<Reply<Done>>,
  again: (refusal: ApiError) => Promise<Reply>,
): Promise<Reply<Done>> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || !aboutTheForm.has(error.code)) throw error;
    const { retryAfterSeconds } = error.details;
    return { ...(await again(error)), retryAfterSeconds };
  }
}

const aboutTheForm: ReadonlySet<string> = new Set([
  "bad_request",
  "invalid_code",
  "invalid_credentials",
  "invalid_second_factor",
  // For a form that was sent without a console session and is only shown again.
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
