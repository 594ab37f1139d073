import type { Invocation } from "../context.ts";
import { discardFrom } from "../spool/discard.ts";
import { openProofs } from "./proofs.ts";

/** Drops a kept proof for good. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openProofs(invocation), id);
