import { createHash } from "node:crypto";
import { createSanitiser } from "../../src/words/fence.ts";
import { Refusal } from "../refusal.ts";
import { refuseSecrets } from "../secrets.ts";
import type { ThreadParts } from "../thread.ts";

/** A proposal that may be sent: it has no text that the person cannot see. */
export interface ProposalDraft {
  readonly feedbackId: string;
  readonly summary: string;
  readonly plan: string;
  readonly removedCharacters: number;
}

/** A draft and the thread that it is for. */
export interface DraftForThread {
  readonly draft: ProposalDraft;
  readonly thread: ThreadParts;
}

export interface GivenTexts {
  readonly summary: string;
  readonly plan: string;
}

/** Removes invisible characters. Throws a Refusal if a text holds a secret, or is empty afterwards. */
export function proposalDraftOf(
  feedbackId: string,
  given: GivenTexts,
  { nonce, secrets }: { readonly nonce: string; readonly secrets: readonly string[] },
): ProposalDraft {
  const sanitiser = createSanitiser(nonce);
  const summary = sanitiser.text(given.summary).trim();
  const plan = sanitiser.text(given.plan).trim();
  for (const [name, text] of Object.entries({ summary, plan })) {
    if (text === "") throw new Refusal(`Nothing was posted: \`${name}\` has no visible characters.`);
    refuseSecrets(name, text, secrets);
  }
  return { feedbackId, summary, plan, removedCharacters: sanitiser.removed() };
}

/**
 * A repeated request has the same idempotency key and posts nothing twice. A later proposal with the same text has another.
 */
export function idempotencyKeyOf(draft: ProposalDraft, latestRunId: string | undefined): string {
  const parts = JSON.stringify([draft.feedbackId, draft.summary, draft.plan, latestRunId ?? null]);
  return `mcp-${createHash("sha256").update(parts).digest("hex")}`;
}
