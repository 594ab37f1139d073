import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { note } from "../core/output.ts";
import type { Spool } from "./spool.ts";
import { type Kind, resendOf, type SpooledItem } from "./spooled-item.ts";

/** Throws a usage error if an item was written for another server than the command's. */
export function refuseOtherServer(
  invocation: Invocation,
  kind: Pick<Kind<SpooledItem>, "word" | "noun">,
  { id, baseUrl }: SpooledItem,
): void {
  if (baseUrl === invocation.baseUrl()) return;
  throw usageError(
    `${capital(kind.word)} ${id} was written for ${baseUrl}, not for ${invocation.baseUrl()}.`,
    resendOf(kind, `${id} --base-url ${baseUrl}`),
  );
}

/** The kept items for this server, oldest first. Prints a note about the others. */
export async function itemsForHere<I extends SpooledItem>(
  invocation: Invocation,
  { kind, list }: Spool<I>,
): Promise<readonly I[]> {
  const { items } = await list();
  const here = items.filter(({ baseUrl }) => baseUrl === invocation.baseUrl());
  if (here.length < items.length) {
    note(invocation, `${items.length - here.length} kept for other servers: ${resendOf(kind, "--list")}`);
  }
  return here;
}

/** Prints a note about folders without a complete item. */
export function noteIncomplete(
  invocation: Invocation,
  { word }: { word: string },
  folders: readonly string[],
) {
  for (const folder of folders) note(invocation, `Incomplete ${word}: ${folder}`);
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
