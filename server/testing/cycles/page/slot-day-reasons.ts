import type { SessionReason } from "../../../../src/contract/test-sessions.ts";
import { qualifyingSession } from "../../sessions/rules.ts";

const { seconds, screens } = qualifyingSession;

/** A sentence for each reason why a session did not count its day. (rule T17) */
export const reasonSentences: Record<SessionReason, string> = {
  cycle_not_running:
    "The test had not started when it arrived, had finished, or its last day was over when it began.",
  slot_not_active: "The slot was no longer active when it arrived.",
  session_in_future: "By the server’s clock, it began in the future.",
  session_stale:
    "The server cannot confirm its day: it arrived more than a day late, or began before the slot was active.",
  already_submitted: "The day was already counted.",
  session_below_bar: `It was shorter than ${seconds} seconds or reached fewer than ${screens} screens.`,
};

const sentences: ReadonlyMap<string, string> = new Map(Object.entries(reasonSentences));

/** The sentence for a reason; the reason itself when it has no sentence here. */
export const reasonSentence = (reason: string): string => sentences.get(reason) ?? `${reason}.`;
