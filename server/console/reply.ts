import type { VNode } from "preact";
import { ApiError } from "../../src/contract/errors.ts";

/** What a visit ends with: a whole HTML document, or another address to go to. */
export type Reply = PageReply | { readonly location: string };

interface PageReply {
  readonly status: number;
  readonly document: VNode;
  /** When the same may be sent again, where it was refused for now. */
  readonly retryAfterSeconds?: number | undefined;
}

export const show = (document: VNode, status = 200): Reply => ({ status, document });

/** Sends the browser on, after a form with a note of what was done, to a place on that page. (303: it comes with GET) */
export function goTo(location: string, done?: string, place?: string): Reply {
  const note = done === undefined ? "" : `${location.includes("?") ? "&" : "?"}done=${done}`;
  return { location: location + note + (place === undefined ? "" : `#${place}`) };
}

/**
 * Does what a form asks; where the endpoint refuses what was filled in, shows the form `again` with what was wrong.
 * Refusals that no other filling could change pass through.
 */
export async function reshowForm(
  act: () => Promise<Reply>,
  again: (refusal: ApiError) => Promise<Reply>,
): Promise<Reply> {
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
  "invalid_credentials",
  // Of a form that was sent without a session, and is only shown again.
  "sign_in_required",
  "email_taken",
  "already_decided",
  "wrong_state",
  "version_exists",
  "own_listing",
  "already_in_cycle",
  "slot_taken",
  "cycle_not_open",
  "idempotency_in_progress",
  "idempotency_mismatch",
  "rate_limited",
  "busy",
] satisfies ApiError["code"][]);
