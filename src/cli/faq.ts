import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { destroys, mutates, ofApp, views, wholeNumber } from "./core/flags.ts";
import { listFaqs, viewFaq } from "./faq/faq-lists.ts";
import { createFaq, deleteFaq, editFaq } from "./faq-changes.ts";

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

  const edit = mutates(
    faq
      .command("edit <id>")
      .alias("update")
      .description("Change an FAQ entry, without flags in your editor (VISUAL, EDITOR)"),
  )
    .option("--question <text>", "the question; `-` is standard input, `@file` a file")
    .option("--answer <text>", "the answer, in Markdown")
    .option("--sort-order <number>", "where it stands in the list", wholeNumber);
  commandAction(ofApp(edit), setup, editFaq);

  const remove = destroys(faq.command("delete <id>").alias("rm").description(routes.faqs.remove.summary));
  commandAction(ofApp(remove), setup, deleteFaq);

  const reorder = mutates(
    faq
      .command("reorder <ids...>")
      .alias("move")
      .description("Put entries in this order at the top of the list, or after another entry"),
  ).option("--after <id>", "put them after this entry");
  commandAction<{ after?: string }, readonly string[]>(ofApp(reorder), setup, async (...given) =>
    (await import("./faq-reorder.ts")).reorderFaqs(...given),
  );

  addFiles(faq, setup);
}

const pathMeaning = "folder of Markdown files, or one .yaml, .yml or .json file; `faq` unless given";
const takeMeaning = "`mine` or `theirs`, and ids: these entries get the text of the file, or of the server";

/** The commands that keep the FAQ as files. */
function addFiles(faq: Command, setup: Setup): void {
  const pull = faq
    .command("pull")
    .description("Write the FAQ of the server into files")
    .argument("[path]", pathMeaning)
    .option("--take <side-and-ids...>", takeMeaning)
    .option("--dry-run", "print what would be written, and write nothing");
  commandAction<{ take?: readonly string[] }, string | undefined>(ofApp(pull), setup, async (...given) =>
    (await import("./faq/pull.ts")).pullFaqs(...given),
  );

  const diff = faq
    .command("diff")
    .description("Show what a push of the FAQ files would change on the server")
    .argument("[path]", pathMeaning)
    .option("--exit-code", "exit with 3 if anything differs, with 7 for conflicts");
  commandAction<{ exitCode?: boolean }, string | undefined>(ofApp(diff), setup, async (...given) =>
    (await import("./faq/push.ts")).diffFaqs(...given),
  );

  const push = destroys(
    faq
      .command("push")
      .description("Make the FAQ of the server as the files have it")
      .argument("[path]", pathMeaning)
      .option("--prune", "delete entries that were pulled and have no file any more")
      .option("--take <side-and-ids...>", takeMeaning),
    "print the plan, and send nothing",
  );
  commandAction<{ prune?: boolean; take?: readonly string[] }, string | undefined>(
    ofApp(push),
    setup,
    async (...given) => (await import("./faq/push.ts")).pushFaqs(...given),
  );
}
