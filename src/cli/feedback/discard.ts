import type { Invocation } from "../context.ts";
import { discardFrom } from "../spool/discard.ts";
import { openSpool } from "./reports.ts";

/** Drops a kept report for good. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openSpool(invocation), id);
