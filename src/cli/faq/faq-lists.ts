import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { details } from "../core/details.ts";
import { wholeId } from "../core/ids.ts";
import { printList, printOne } from "../core/output.ts";
import { type FaqApi, faqApi } from "./api.ts";

export async function listFaqs(invocation: Invocation): Promise<undefined> {
  const faqs = await (await faqApi(invocation)).list();
  printList(invocation, {
    items: faqs,
    columns: [
      { heading: "id", of: ({ id }) => id, isId: true },
      { heading: "order", of: ({ sortOrder }) => sortOrder },
      { heading: "question", of: ({ question }) => question },
      { heading: "answer", of: ({ answer }) => answer },
    ],
  });
}

/** The id of an entry, given as a whole or by its first characters. */
export const faqId = (api: Pick<FaqApi, "list">, given: string): Promise<string> =>
  wholeId(given, {
    thing: "FAQ entry",
    command: "innkeep faq list",
    list: async () => (await api.list()).map(({ id, question }) => ({ id, name: question })),
  });

/** Finds an entry in the list. Throws a CliError if there is none. */
export async function findFaq(api: Pick<FaqApi, "list">, given: string) {
  const faqs = await api.list();
  const id = await faqId({ list: async () => faqs }, given);
  const faq = faqs.find((one) => one.id.toLowerCase() === id);
  if (faq) return { faq, faqs };
  throw noFaq(given);
}

/** The error for an entry that the list does not have. */
export const noFaq = (given: string): CliError =>
  new CliError({
    exit: "notFound",
    code: "not_found",
    message: `There is no FAQ entry ${given}.`,
    next: "`innkeep faq list` shows all.",
  });

export async function viewFaq(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const { faq } = await findFaq(await faqApi(invocation), given);
  printOne(invocation, faq, () => details({ ...faq }));
}
