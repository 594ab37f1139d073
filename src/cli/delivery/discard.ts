import { confirm } from "../core/confirm.ts";
import type { Invocation } from "../core/context.ts";
import { note, printOne } from "../core/output.ts";
import { keptItem, type Spool } from "./spool.ts";
import type { SpooledItem } from "./spooled-item.ts";

/** Deletes a kept item. */
export async function discardFrom<I extends SpooledItem>(
  invocation: Invocation,
  spool: Spool<I>,
  id: string,
): Promise<undefined> {
  const { word } = spool.kind;
  await keptItem(spool, id);
  await confirm(invocation, `Drop ${word} ${id}? It was not confirmed by any server.`);
  const { dryRun = false } = invocation.flags;
  if (!dryRun) await spool.drop(id);
  note(invocation, `${dryRun ? "Would drop" : "Dropped"} ${word} ${id}.`);
  printOne(invocation, { id, dropped: !dryRun }, () => id);
}
