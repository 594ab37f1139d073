import { CliError, type Exit, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { confirm } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { type Kind, sendEach, sendKept } from "./send.ts";
import { openSpool, resendOf, type Spool, type SpooledItem } from "./spool.ts";

export interface ResendFlags {
  readonly all?: boolean;
  readonly list?: boolean;
  /** Whether to send a report without its files. A proof cannot be sent in this way. */
  readonly withoutFiles?: boolean;
}

/**
 * Sends items in the spool again. Each has the idempotency key of its first attempt. So a report is not posted twice,
 * and if a proof has already arrived, the server repeats its first answer and does not refuse the proof.
 */
export async function resend<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  flags: ResendFlags,
  id?: string,
): Promise<Exit> {
  const spool = openSpool(invocation, kind);
  if (flags.list) await listKept(invocation, kind, spool);
  else if (id && !flags.all) await resendOne(invocation, kind, spool, await keptItem(spool, id), flags);
  else if (flags.all && !id && !flags.withoutFiles) return resendAll(invocation, kind, spool);
  else throw usageError(`Name one ${kind.word}, or use only --all.`, resendOf(kind, "--list"));
  return "ok";
}

/** Reads an item from the spool. Throws a CliError if there is no such item. */
async function keptItem<I extends SpooledItem>(spool: Spool<I>, id: string): Promise<I> {
  const item = await spool.read(id);
  if (item) return item;
  const { kind } = spool;
  throw new CliError({
    exit: "notFound",
    code: "not_found",
    message: `There is no unsent ${kind.word} ${id} on this machine.`,
    next: resendOf(kind, "--list"),
  });
}

/**
 * Prints the items that no server has confirmed yet, oldest first. Prints a note for each folder that contains no
 * complete item.
 */
async function listKept<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
): Promise<void> {
  const { items, damaged } = await spool.list();
  for (const folder of damaged) note(invocation, `Incomplete ${kind.word}: ${folder}`);
  kind.printKept(invocation, items);
}

async function resendOne<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
  stored: I,
  { withoutFiles }: ResendFlags,
): Promise<void> {
  refuseOtherServer(invocation, kind, stored);
  const chosen = withoutFiles && kind.withoutFiles ? kind.withoutFiles(invocation, stored) : stored;
  const item = { ...chosen, idempotencyKey: invocation.flags.idempotencyKey ?? chosen.idempotencyKey };
  if (invocation.flags.dryRun) await kind.preview(invocation, item);
  kind.printAnswer(invocation, await sendKept(invocation, { item, spool }, kind));
}

/** Throws a usage error if the item is for another server than the one that the command uses. */
function refuseOtherServer(
  invocation: Invocation,
  kind: Pick<Kind<SpooledItem, unknown>, "word" | "noun">,
  { id, baseUrl }: SpooledItem,
): void {
  if (baseUrl === invocation.baseUrl()) return;
  throw usageError(
    `${capital(kind.word)} ${id} was written for ${baseUrl}, not for ${invocation.baseUrl()}.`,
    resendOf(kind, `${id} --base-url ${baseUrl}`),
  );
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Sends the items in the spool that are for this server, oldest first. Stops at the first item that cannot be sent now.
 * Returns the exit of the first failure.
 */
async function resendAll<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
): Promise<Exit> {
  const due = await dueItems(invocation, kind, spool);
  if (invocation.flags.dryRun) {
    kind.printKept(invocation, due);
    return "ok";
  }
  const kept = due.map((item) => ({ item, spool }));
  const { tried, left, failure } = await sendEach(invocation, kind, kept);
  kind.printResults(invocation, tried, left);
  return failure?.exit ?? "ok";
}

/** Returns the items for this server that can safely be sent again. Prints notes about all other items. */
async function dueItems<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
): Promise<readonly I[]> {
  const { items } = await spool.list();
  const here = items.filter(({ baseUrl }) => baseUrl === invocation.baseUrl());
  if (here.length < items.length)
    note(invocation, `${items.length - here.length} more for other servers: ${resendOf(kind, "--list")}`);
  const now = invocation.context.clock.now();
  const due = here.filter((item) => !kind.isPostedTwiceWithoutKey || !isDoubtful(item, now));
  for (const { id } of here.filter((item) => !due.includes(item)))
    note(
      invocation,
      `${capital(kind.word)} ${id} may have arrived more than a day ago. If it is not in the console, send it with: ${resendOf(kind, id)}`,
    );
  return due;
}

// A server stores an idempotency key for only one day. After that it could post an item that has arrived a second time.
const keyLifetimeMs = 23 * 3_600_000;

const isDoubtful = ({ lastTry }: SpooledItem, now: Date): boolean =>
  lastTry?.outcome === "unknown" && now.getTime() - Date.parse(lastTry.at) > keyLifetimeMs;

/** Deletes an item from the spool. */
export async function discard<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  id: string,
): Promise<undefined> {
  const spool = openSpool(invocation, kind);
  await keptItem(spool, id);
  await confirm(invocation, `Drop ${kind.word} ${id}? It was not confirmed by any server.`);
  const { dryRun = false } = invocation.flags;
  if (!dryRun) await spool.drop(id);
  note(invocation, `${dryRun ? "Would drop" : "Dropped"} ${kind.word} ${id}.`);
  printOne(invocation, { id, dropped: !dryRun }, () => id);
}
