import type { NewFaq } from "../contract/faqs.ts";
import { usageError } from "./core/cli-error.ts";
import { canAsk, confirm } from "./core/confirm.ts";
import type { Invocation } from "./core/context.ts";
import { details } from "./core/details.ts";
import { optionalTextOf, textOf } from "./core/input.ts";
import { note, printOne } from "./core/output.ts";
import { faqApi } from "./faq/api.ts";
import { faqId } from "./faq/faq-lists.ts";

interface FaqFlags {
  readonly question?: string;
  readonly answer?: string;
  readonly sortOrder?: number;
}

export async function createFaq(invocation: Invocation, flags: FaqFlags): Promise<undefined> {
  const { question = "", answer = "", sortOrder } = flags;
  const body: NewFaq = {
    question: await textOf(invocation, "--question", question),
    answer: await textOf(invocation, "--answer", answer),
    sortOrder,
  };
  const faq = await (await faqApi(invocation)).create(body);
  note(invocation, `Created FAQ entry ${faq.id}.`);
  printOne(invocation, faq, () => details({ ...faq }));
}

export async function editFaq(invocation: Invocation, flags: FaqFlags, id: string): Promise<undefined> {
  const change = {
    question: await optionalTextOf(invocation, "--question", flags.question),
    answer: await optionalTextOf(invocation, "--answer", flags.answer),
    sortOrder: flags.sortOrder,
  };
  if (Object.values(change).every((value) => value === undefined)) {
    if (canAsk(invocation)) return (await import("./faq/editor.ts")).editFaqInEditor(invocation, id);
    throw usageError(
      "There is nothing to change.",
      "Give --question, --answer or --sort-order. On a terminal it opens your editor.",
    );
  }
  const api = await faqApi(invocation);
  const faq = await api.update(await faqId(api, id), change);
  note(invocation, `Changed FAQ entry ${faq.id}.`);
  printOne(invocation, faq, () => details({ ...faq }));
}

export async function deleteFaq(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const api = await faqApi(invocation);
  const id = await faqId(api, given);
  await confirm(invocation, `Delete FAQ entry ${id} permanently?`);
  const answer = await api.remove(id);
  note(invocation, `Deleted FAQ entry ${id}.`);
  printOne(invocation, { ...answer, id }, () => id);
}
