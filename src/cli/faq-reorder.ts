import { usageError } from "./core/cli-error.ts";
import type { Invocation } from "./core/context.ts";
import { note, printList } from "./core/output.ts";
import { type FaqApi, faqApi } from "./faq/api.ts";
import { faqId, noFaq } from "./faq/faq-lists.ts";

interface Placed {
  readonly id: string;
  readonly sortOrder: number;
  readonly question: string;
}

/** Puts the named entries, in this order, at the top of the list or after another entry. The others keep their order. */
export async function reorderFaqs(
  invocation: Invocation,
  { after }: { readonly after?: string },
  given: readonly string[],
): Promise<undefined> {
  const api = await faqApi(invocation);
  const faqs = await api.list();
  const known = { list: async () => faqs };
  const find = async (word: string): Promise<Placed> => {
    const id = await faqId(known, word);
    const found = faqs.find((faq) => faq.id.toLowerCase() === id);
    if (found) return found;
    throw noFaq(word);
  };
  const named = await Promise.all(given.map(find));
  if (new Set(named).size < named.length) throw usageError("An entry is named twice.");
  const before = after === undefined ? undefined : await find(after);
  if (before && named.includes(before)) throw usageError("--after names an entry that is moved itself.");
  const rest = faqs.filter((faq) => !named.some(({ id }) => id === faq.id));
  const at = before ? rest.findIndex(({ id }) => id === before.id) + 1 : 0;
  const wanted = renumbered(faqs, [...rest.slice(0, at), ...named, ...rest.slice(at)], named);
  await move(api, faqs, wanted);
  note(invocation, "The FAQ has this order now.");
  printList(invocation, {
    items: wanted,
    columns: [
      { heading: "id", of: ({ id }) => id, isId: true },
      { heading: "order", of: ({ sortOrder }) => sortOrder },
      { heading: "question", of: ({ question }) => question },
    ],
  });
}

/** The wanted order, in which as few entries as possible have another position. */
function renumbered(faqs: readonly Placed[], wanted: readonly Placed[], named: readonly Placed[]): Placed[] {
  const isSame = wanted.every(
    ({ id, sortOrder }, at) =>
      id === faqs[at]?.id && sortOrder > (wanted[at - 1]?.sortOrder ?? Number.NEGATIVE_INFINITY),
  );
  if (isSame) return [...wanted];
  const from = wanted.findIndex((one) => named.includes(one));
  const to = from + named.length;
  const up = shifted(wanted, { from, to, step: 1 });
  const size = wanted.length;
  const down = shifted(wanted.toReversed(), { from: size - to, to: size - from, step: -1 })?.toReversed();
  if (!up || !down) return up ?? down ?? [...wanted].map((one, at) => ({ ...one, sortOrder: at }));
  return changesIn(wanted, up) <= changesIn(wanted, down) ? up : down;
}

const changesIn = (before: readonly Placed[], after: readonly Placed[]): number =>
  after.filter(({ sortOrder }, at) => sortOrder !== before[at]?.sortOrder).length;

interface Block {
  readonly from: number;
  readonly to: number;
  readonly step: 1 | -1;
}

/**
 * The entries with those of a block right behind the one before it, and the next ones moved on as far as they must. Undefined if
 * there is none before the block.
 */
function shifted(entries: readonly Placed[], { from, to, step }: Block): Placed[] | undefined {
  let last = entries[from - 1]?.sortOrder;
  if (last === undefined) return undefined;
  let isFree = false;
  const moved: Placed[] = [];
  for (const [at, entry] of entries.entries()) {
    isFree ||= at >= to && (entry.sortOrder - last) * step > 0;
    if (at < from || isFree) moved.push(entry);
    else {
      last += step;
      moved.push({ ...entry, sortOrder: last });
    }
  }
  return moved;
}

async function move(api: FaqApi, before: readonly Placed[], wanted: readonly Placed[]): Promise<void> {
  const old = new Map(before.map(({ id, sortOrder }) => [id, sortOrder]));
  for (const { id, sortOrder } of wanted) if (old.get(id) !== sortOrder) await api.update(id, { sortOrder });
}
