import type { Invocation } from "../core/context.ts";
import { discardFrom } from "./discard.ts";
import { openProofSpool } from "./proof-spool.ts";

/** Deletes a kept proof. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openProofSpool(invocation), id);
