import type { Command } from "commander";
import { routes } from "../../client/calls/routes.ts";
import type { NewFaq } from "../../contract/faqs.ts";
import { faqApi } from "../content/faq-api.ts";
import { CliError, usageError } from "../core/failures/cli-error.ts";
import { confirm } from "../core/input/confirm.ts";
import { destroys, mutates, ofApp, views, wholeNumber } from "../core/input/flags.ts";
import { optionalTextOf, textOf } from "../core/input/text-flag.ts";
import { wholeId } from "../core/input/whole-id.ts";
import { details } from "../core/output/details.ts";
import { note, printList, printOne } from "../core/output/output.ts";
import { commandAction, type Setup } from "../core/program/command-action.ts";
import type { Invocation } from "../core/program/context.ts";

interface FaqFlags {
  readonly question?: string;
  readonly answer?: string;
  readonly sortOrder?: number;
}

export function addFaq(faq: Command, setup: Setup): void {
  const list = faq.command("list").alias("ls").description(routes.faqs.list.summary);
  commandAction(ofApp(list), setup, listFaqs);

  const view = faq.command("view <id>").alias("show").description("Show one FAQ entry");
  commandAction(views(ofApp(view)), setup, viewFaq);

  const create = mutates(faq.command("create").alias("new").description(routes.faqs.create.summary))
    .requiredOption("--question <text>", "the question; `-` is standard input, `@file` a file")
    .requiredOption("--answer <text>", "the answer, in Markdown")
    .option("--sort-order <number>", "where it stands in the list; the end unless given", wholeNumber);
  commandAction(ofApp(create), setup, createFaq);

  const edit = mutates(faq.command("edit <id>").alias("update").description(routes.faqs.update.summary))
    .option("--question <text>", "the question; `-` is standard input, `@file` a file")
    .option("--answer <text>", "the answer, in Markdown")
    .option("--sort-order <number>", "where it stands in the list", wholeNumber);
  commandAction(ofApp(edit), setup, editFaq);

  const remove = destroys(faq.command("delete <id>").alias("rm").description(routes.faqs.remove.summary));
  commandAction(ofApp(remove), setup, deleteFaq);
}

async function listFaqs(invocation: Invocation): Promise<undefined> {
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

type FaqApi = Awaited<ReturnType<typeof faqApi>>;

/** The id of an entry, given as a whole or by its first characters. */
const faqId = (api: Pick<FaqApi, "list">, given: string): Promise<string> =>
  wholeId(given, {
    thing: "FAQ entry",
    command: "innkeep faq list",
    list: async () => (await api.list()).map(({ id, question }) => ({ id, name: question })),
  });

async function viewFaq(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const faqs = await (await faqApi(invocation)).list();
  const id = await faqId({ list: async () => faqs }, given);
  const faq = faqs.find((one) => one.id === id);
  if (!faq)
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message: `There is no FAQ entry ${given}.`,
      next: "`innkeep faq list` shows all.",
    });
  printOne(invocation, faq, () => details({ ...faq }));
}

async function createFaq(invocation: Invocation, flags: FaqFlags): Promise<undefined> {
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

async function editFaq(invocation: Invocation, flags: FaqFlags, id: string): Promise<undefined> {
  const change = {
    question: await optionalTextOf(invocation, "--question", flags.question),
    answer: await optionalTextOf(invocation, "--answer", flags.answer),
    sortOrder: flags.sortOrder,
  };
  if (Object.values(change).every((value) => value === undefined)) {
    throw usageError("There is nothing to change.", "Give --question, --answer or --sort-order.");
  }
  const api = await faqApi(invocation);
  const faq = await api.update(await faqId(api, id), change);
  note(invocation, `Changed FAQ entry ${faq.id}.`);
  printOne(invocation, faq, () => details({ ...faq }));
}

async function deleteFaq(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const api = await faqApi(invocation);
  const id = await faqId(api, given);
  await confirm(invocation, `Delete FAQ entry ${id} permanently?`);
  const answer = await api.remove(id);
  note(invocation, `Deleted FAQ entry ${id}.`);
  printOne(invocation, { ...answer, id }, () => id);
}
