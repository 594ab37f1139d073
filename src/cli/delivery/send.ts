import { systemReason } from "../../words/system-reason.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { isTimeToSay } from "../core/once-a-day.ts";
import { note } from "../core/output.ts";
import { type Delivery, deliver, type Way } from "./deliver.ts";
import type { Spool } from "./spool.ts";
import { type LastTry, resendOf, type SpooledItem } from "./spooled-item.ts";

/** An item to send, and the spool that keeps it until a server has it; undefined if it could not be kept. */
export interface Kept<I extends SpooledItem> {
  readonly item: I;
  readonly spool: Spool<I> | undefined;
}

/** Keeps an item before it is sent. If the disk is full, the item is sent all the same. */
export async function keep<I extends SpooledItem>(
  invocation: Invocation,
  item: I,
  spool: Spool<I>,
): Promise<Kept<I>> {
  try {
    return { item: await spool.keep(item), spool };
  } catch (cause) {
    const { word } = spool.kind;
    note(
      invocation,
      `This ${word} is sent without a copy on disk (${systemReason(cause)}): ${spool.folderOf("")}`,
    );
    return { item, spool: undefined };
  }
}

/**
 * Sends a kept item. Removes it when a server has it, else stores the result. Throws a CliError if another process
 * is sending it.
 */
export async function attempt<I extends SpooledItem, Answer>(
  invocation: Invocation,
  { item, spool }: Kept<I>,
  way: Way<I, Answer>,
): Promise<Delivery<Answer>> {
  if (!spool) return deliver(invocation, item, { ...way, isKept: false });
  const release = await spool.claim(item.id);
  if (!release) throw beingSent(spool, item);
  try {
    const begun = together(item.lastTry, started(invocation.context.clock.now()));
    await storeState(invocation, spool, { ...item, lastTry: begun });
    const delivery = await deliver(invocation, item, { ...way, isKept: true });
    if (delivery.delivered) {
      await forget(invocation, spool, item);
      return delivery;
    }
    const lastTry = together(item.lastTry, delivery.lastTry);
    await storeState(invocation, spool, { ...item, lastTry });
    return { ...delivery, lastTry };
  } finally {
    await release();
  }
}

// The stored state until the answer is there. It is also right if the program is killed before.
const started = (now: Date): LastTry => ({
  at: now.toISOString(),
  outcome: "unknown",
  why: "The program ended before the server had answered.",
});

// An item that may have arrived stays marked so, whatever happens later.
const together = (before: LastTry | null, last: LastTry): LastTry =>
  before?.outcome === "unknown" ? { ...last, outcome: "unknown", at: before.at } : last;

async function storeState<I extends SpooledItem>(invocation: Invocation, spool: Spool<I>, item: I) {
  try {
    await spool.update(item);
  } catch (cause) {
    const what = `${spool.kind.word} ${item.id}`;
    note(invocation, `What became of ${what} could not be stored (${systemReason(cause)}).`);
  }
}

async function forget<I extends SpooledItem>(invocation: Invocation, spool: Spool<I>, { id }: I) {
  try {
    await spool.drop(id);
  } catch (cause) {
    note(
      invocation,
      `The server has it, but the copy cannot be removed (${systemReason(cause)}): ${spool.folderOf(id)}`,
    );
  }
}

const beingSent = <I extends SpooledItem>({ kind }: Spool<I>, { id }: I) =>
  new CliError({
    exit: "tryLater",
    code: "being_sent",
    message: `Another process is sending ${kind.word} ${id} right now.`,
  });

/** Prints a note about items that still wait, at most once a day. */
export async function remind<I extends SpooledItem>(
  invocation: Invocation,
  { kind, list }: Spool<I>,
): Promise<void> {
  const { items } = await list();
  if (items.length === 0 || invocation.flags.json) return;
  if (!isTimeToSay(invocation.context, `kept-${kind.word}`)) return;
  const count = items.length === 1 ? `One ${kind.word} is` : `${items.length} ${kind.word}s are`;
  note(invocation, `${count} kept that no server has confirmed: ${resendOf(kind, "--list")}`);
}
