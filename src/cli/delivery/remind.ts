import { note } from "../core/output/output.ts";
import type { Invocation } from "../core/program/context.ts";
import type { Spool } from "./spool.ts";
import { resendOf, type SpooledItem } from "./spooled-item.ts";

/** Prints a note about items that still wait. */
export async function remind<I extends SpooledItem>(
  invocation: Invocation,
  { kind, list }: Spool<I>,
): Promise<void> {
  const { items } = await list();
  if (items.length === 0 || invocation.flags.json) return;
  const count = items.length === 1 ? `One ${kind.word} is` : `${items.length} ${kind.word}s are`;
  note(invocation, `${count} kept that no server has confirmed: ${resendOf(kind, "--list")}`);
}

/** Prints a note about folders without a complete item. */
export function noteIncomplete(
  invocation: Invocation,
  { word }: { word: string },
  folders: readonly string[],
) {
  for (const folder of folders) note(invocation, `Incomplete ${word}: ${folder}`);
}
