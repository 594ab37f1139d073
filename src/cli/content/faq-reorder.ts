import { usageError } from "../core/failures/cli-error.ts";
import { note, printList } from "../core/output/output.ts";
import type { Invocation } from "../core/program/context.ts";
import { type FaqApi, faqApi } from "./faq-api.ts";
import { faqId, noFaq } from "./faq-lists.ts";

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
  const wanted = renumbered(faqs, [...rest.slice(0, at), ...named, ...rest.slice(at)]);
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

/** The wanted order on the positions that the list has, each used once, so that few entries change. */
function renumbered(faqs: readonly Placed[], wanted: readonly Placed[]): Placed[] {
  let last = Number.NEGATIVE_INFINITY;
  const positions = faqs.map(({ sortOrder }) => {
    last = Math.max(sortOrder, last + 1);
    return last;
  });
  return wanted.map(({ id, question }, at) => ({ id, sortOrder: positions[at] ?? at, question }));
}

async function move(api: FaqApi, before: readonly Placed[], wanted: readonly Placed[]): Promise<void> {
  const old = new Map(before.map(({ id, sortOrder }) => [id, sortOrder]));
  for (const { id, sortOrder } of wanted) if (old.get(id) !== sortOrder) await api.update(id, { sortOrder });
}
