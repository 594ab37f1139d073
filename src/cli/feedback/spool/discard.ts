import type { Invocation } from "../../core/program/context.ts";
import { discardFrom } from "../../delivery/discard.ts";
import { openSpool } from "./feedback-spool.ts";

/** Drops a kept report for good. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openSpool(invocation), id);
