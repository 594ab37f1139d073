import { confirm } from "../confirm.ts";
import type { Invocation } from "../context.ts";
import { note, printOne } from "../output.ts";
import { keptReport } from "./resend.ts";
import { openSpool } from "./spool.ts";

/** Drops a kept report for good. */
export async function discard(invocation: Invocation, _: object, id: string): Promise<undefined> {
  const spool = openSpool(invocation);
  await keptReport(spool, id);
  await confirm(invocation, `Drop report ${id}? It was not confirmed by any server.`);
  if (!invocation.flags.dryRun) await spool.drop(id);
  note(invocation, invocation.flags.dryRun ? `Would drop report ${id}.` : `Dropped report ${id}.`);
  printOne(invocation, { id, dropped: !invocation.flags.dryRun }, () => id);
}
