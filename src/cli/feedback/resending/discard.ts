import type { Invocation } from "../../core/program/context.ts";
import { discardFrom } from "../../delivery/discard.ts";
import { openFeedbackSpool } from "../spool/feedback-spool.ts";

/** Deletes a kept report. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openFeedbackSpool(invocation), id);
