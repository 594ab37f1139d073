import type { Invocation } from "../core/context.ts";
import { discardFrom } from "./discard.ts";
import { openFeedbackSpool } from "./spools.ts";

/** Deletes a kept report. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openFeedbackSpool(invocation), id);
