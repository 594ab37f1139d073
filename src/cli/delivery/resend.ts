import { CliError, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { confirm } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { type Kind, keptItem, resendOf, type Spool, type SpooledItem } from "./spool.ts";

/** The result of one item that was sent again. */
export interface Sent<Row> {
  readonly row: Row;
  readonly failure?: CliError;
}

/**
 * Sends items one after another until one must wait. Returns a row for each tried item, and the first failure. Skips
 * items that another process is sending.
 */
export async function resendEach<I extends SpooledItem, Row>(
  items: readonly I[],
  sendNext: (item: I) => Promise<Sent<Row>>,
): Promise<{ readonly rows: readonly Row[]; readonly left: number; readonly failure?: CliError }> {
  const sent: Sent<Row>[] = [];
  let skipped = 0;
  const skipIfBeingSent = (error: unknown): undefined => {
    if (!(error instanceof CliError && error.code === "being_sent")) throw error;
    skipped += 1;
  };
  for (const item of items) {
    const one = await sendNext(item).catch(skipIfBeingSent);
    if (!one) continue;
    sent.push(one);
    if (one.failure && stops(one.failure)) break;
  }
  const failures = sent.flatMap(({ failure }) => failure ?? []);
  return {
    rows: sent.map(({ row }) => row),
    left: items.length - skipped - sent.length + failures.length,
    failure: failures[0],
  };
}

/** Whether to stop: the other items go to the same server, with the same credential. */
const stops = ({ exit }: CliError): boolean => ["tryLater", "authentication", "interrupted"].includes(exit);

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
