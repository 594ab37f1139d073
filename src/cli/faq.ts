import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import type { DraftedFaq, FaqChange, NewFaq } from "../contract/faqs.ts";
import { usageError } from "./core/cli-error.ts";
import {
  addExamples,
  commandAction,
  destroys,
  inLanguage,
  mutates,
  ofApp,
  type Setup,
  views,
  wholeNumber,
} from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { appIdOf, goesThroughConsole, wholeId } from "./core/ids.ts";
import { canAsk, confirm, optionalTextOf, textOf } from "./core/input.ts";
import { details, note, printList, printOne } from "./core/output.ts";
import { type FaqApi, faqApi, faqDetails, faqId, findFaq, noFaq } from "./faq/api.ts";

export function addFaq(faq: Command, setup: Setup): void {
  const list = faq.command("list").alias("ls").description(routes.faqs.list.summary);
  list.option("--drafts", "list the entries with unpublished text; needs a maintainer token");
  inLanguage(list, "the texts that a user with this language gets");
  addExamples(list, "innkeep faq list", "innkeep faq list --app Larder --fields id,question");
  commandAction<{ drafts?: boolean; lang?: string }>(
    ofApp(list),
    setup,
    async (invocation, { drafts, lang }) => {
      if (drafts && lang) throw usageError("--drafts shows the default language: leave out --lang.");
      return drafts ? listDrafts(invocation) : listFaqs(invocation, lang);
    },
  );

  const view = faq.command("view <id>").alias("show").description("Show one FAQ entry");
  addExamples(view, "innkeep faq view 01a1fda4", "innkeep faq view 01a1fda4 --raw answer > answer.md");
  commandAction(views(ofApp(view)), setup, viewFaq);

  const create = mutates(faq.command("create").alias("new").description(routes.faqs.create.summary))
    .requiredOption("--question <text>", "the question; `-` is standard input, `@file` a file")
    .requiredOption("--answer <text>", "the answer, in Markdown")
    .option(
      "--sort-order <number>",
      "the position of the entry in the list; default: at the end",
      wholeNumber,
    )
    .option(
      "--draft",
      "save the entry as a draft, which apps get only after `faq publish`; needs a maintainer token",
    );
  addExamples(create, 'innkeep faq create --question "How do I sync?" --answer @answer.md');
  commandAction(ofApp(create), setup, createFaq);

  const edit = mutates(
    faq
      .command("edit <id>")
      .alias("update")
      .description("Change an FAQ entry; without flags, your editor opens (VISUAL, EDITOR)"),
  )
    .option("--question <text>", "the question; `-` is standard input, `@file` a file")
    .option("--answer <text>", "the answer, in Markdown")
    .option("--sort-order <number>", "the position of the entry in the list", wholeNumber)
    .option("--draft", "save the text as a draft; the published text does not change")
    .option("--delete-translation", "with --lang: delete the translation");
  inLanguage(edit, "change the translation into this language");
  addExamples(
    edit,
    "innkeep faq edit 01a1fda4",
    "innkeep faq edit 01a1fda4 --answer @answer.md",
    'innkeep faq edit 01a1fda4 --lang de --question "Wie?" --answer @answer.md',
  );
  commandAction(ofApp(edit), setup, editFaq);

  const remove = destroys(faq.command("delete <id>").alias("rm").description(routes.faqs.remove.summary));
  addExamples(remove, "innkeep faq delete 01a1fda4 --yes");
  commandAction(ofApp(remove), setup, deleteFaq);

  const reorder = mutates(
    faq
      .command("reorder <ids...>")
      .alias("move")
      .description(
        "Move entries to the top of the list, or after another entry, in the order in which you name them",
      ),
  ).option("--after <id>", "put the entries after this entry");
  addExamples(
    reorder,
    "innkeep faq reorder 01a1fda4",
    "innkeep faq reorder 01a1fda4 01b2c3d4 --after 01c4d5e6",
  );
  commandAction<{ after?: string }, readonly string[]>(ofApp(reorder), setup, async (...given) =>
    reorderFaqs(...given),
  );

  addDrafts(faq, setup);

  const picture = mutates(faq.command("picture <files...>").description(routes.texts.addFaqPictures.summary));
  addExamples(picture, "innkeep faq picture screen.png");
  commandAction<object, readonly string[]>(ofApp(picture), setup, async (invocation, _, paths) =>
    (await import("./core/content.ts")).addFaqPictures(invocation, paths),
  );

  addFiles(faq, setup);
}

/** Adds the commands for texts that are not published, and for earlier texts. */
function addDrafts(faq: Command, setup: Setup): void {
  const { publish, removeDraft, history, restore } = routes.consoleFaqs;
  const publishing = mutates(faq.command("publish <id>").description(publish.summary));
  addExamples(publishing, "innkeep faq publish 01a1fda4");
  commandAction<object, string>(ofApp(publishing), setup, publishFaq);

  const discarding = mutates(faq.command("discard <id>").description(removeDraft.summary));
  addExamples(discarding, "innkeep faq discard 01a1fda4");
  commandAction<object, string>(ofApp(discarding), setup, discardDraft);

  const versions = faq.command("history <id>").description(history.summary);
  addExamples(versions, "innkeep faq history 01a1fda4");
  commandAction<object, string>(ofApp(versions), setup, listVersions);

  const restoring = mutates(faq.command("restore <id>").description(restore.summary)).requiredOption(
    "--to <text>",
    "the id of an earlier text, as `faq history` lists it",
  );
  addExamples(
    restoring,
    "innkeep faq restore 01a1fda4-237d-759b-ad89-7cf5663516dc --to 01b2c3d4-237d-759b-ad89-7cf5663516dc",
  );
  commandAction<{ to: string }, string>(ofApp(restoring), setup, restoreVersion);
}

const pathMeaning = "folder of Markdown files, or one .yaml, .yml or .json file; `faq` by default";

const takeMeaning =
  "resolve conflicts: `mine` and ids use the texts in the files for these entries; `theirs` and ids use the texts on the server";

function addFiles(faq: Command, setup: Setup): void {
  const pull = faq
    .command("pull")
    .description("Write the FAQ of the server into files")
    .argument("[path]", pathMeaning)
    .option("--take <side-and-ids...>", takeMeaning)
    .option("--dry-run", "print what would be written, and write nothing");
  addExamples(pull, "innkeep faq pull", "innkeep faq pull docs/faq.yaml --app Larder");
  commandAction<{ take?: readonly string[] }, string | undefined>(ofApp(pull), setup, async (...given) =>
    (await import("./faq/pull.ts")).pullFaqs(...given),
  );

  const diff = faq
    .command("diff")
    .description("Show what a push of the FAQ files would change on the server")
    .argument("[path]", pathMeaning)
    .option("--exit-code", "exit with code 3 if anything differs, and with code 7 for conflicts");
  addExamples(diff, "innkeep faq diff", "innkeep faq diff docs/faq --exit-code");
  commandAction<{ exitCode?: boolean }, string | undefined>(ofApp(diff), setup, async (...given) =>
    (await import("./faq/push.ts")).diffFaqs(...given),
  );

  const push = destroys(
    faq
      .command("push")
      .description("Make the FAQ of the server equal to the files")
      .argument("[path]", pathMeaning)
      .option(
        "--prune",
        "delete entries that an earlier pull wrote into files, if these files do not exist any more",
      )
      .option("--take <side-and-ids...>", takeMeaning),
    "print the plan, and send nothing",
  );
  addExamples(
    push,
    "innkeep faq push --dry-run",
    "innkeep faq push docs/faq --prune --yes",
    "innkeep faq push --take mine 01a1fda4",
  );
  commandAction<{ prune?: boolean; take?: readonly string[] }, string | undefined>(
    ofApp(push),
    setup,
    async (...given) => (await import("./faq/push.ts")).pushFaqs(...given),
  );
}

async function listFaqs(invocation: Invocation, lang?: string): Promise<undefined> {
  const faqs = await (await faqApi(invocation)).list(lang);
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

async function viewFaq(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const { faq } = await findFaq(await faqApi(invocation), given);
  printOne(invocation, faq, () => faqDetails(faq));
}

interface FaqFlags {
  readonly question?: string;
  readonly answer?: string;
  readonly sortOrder?: number;
  readonly draft?: boolean;
  readonly lang?: string;
  readonly deleteTranslation?: boolean;
}

async function createFaq(invocation: Invocation, flags: FaqFlags): Promise<undefined> {
  const { question = "", answer = "", sortOrder } = flags;
  const body: NewFaq = {
    question: await textOf(invocation, "--question", question),
    answer: await textOf(invocation, "--answer", answer),
    sortOrder,
  };
  if (flags.draft) {
    if (sortOrder !== undefined) throw usageError("A draft has no position: leave out --sort-order.");
    return createDraft(invocation, body);
  }
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
  if (flags.lang === undefined && flags.deleteTranslation)
    throw usageError("--delete-translation needs --lang.");
  if (flags.lang !== undefined) {
    const { sortOrder, ...text } = change;
    if (sortOrder !== undefined) throw usageError("A translation has no position: leave out --sort-order.");
    const { lang, draft = false, deleteTranslation = false } = flags;
    return translateFaq(invocation, id, { language: lang, draft, deletes: deleteTranslation, text });
  }
  if (flags.draft) {
    const { sortOrder, ...text } = change;
    if (sortOrder !== undefined) throw usageError("A draft has no position: leave out --sort-order.");
    return saveDraft(invocation, id, text);
  }
  if (Object.values(change).every((value) => value === undefined)) {
    if (canAsk(invocation)) return (await import("./faq/editor.ts")).editFaqInEditor(invocation, id);
    throw usageError(
      "There is nothing to change.",
      "Give --question, --answer or --sort-order. Without these flags, the command opens your editor, but only on a terminal.",
    );
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

interface Placed {
  readonly id: string;
  readonly sortOrder: number;
  readonly question: string;
}

/** Moves entries, in the order of the arguments, to the top or after another entry. The others keep their order. */
async function reorderFaqs(
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

/** Returns the entries in the new order, with new positions. Changes as few positions as possible. */
function renumbered(faqs: readonly Placed[], wanted: readonly Placed[], named: readonly Placed[]): Placed[] {
  const isSame = wanted.every(
    ({ id, sortOrder }, at) =>
      id === faqs[at]?.id && sortOrder > (wanted[at - 1]?.sortOrder ?? Number.NEGATIVE_INFINITY),
  );
  if (isSame) return [...wanted];
  const from = wanted.findIndex((one) => named.includes(one));
  const to = from + named.length;
  const up = shifted(wanted, from, to, 1);
  const size = wanted.length;
  const down = shifted(wanted.toReversed(), size - to, size - from, -1)?.toReversed();
  if (!up || !down) return up ?? down ?? [...wanted].map((one, at) => ({ ...one, sortOrder: at }));
  return changesIn(wanted, up) <= changesIn(wanted, down) ? up : down;
}

const changesIn = (before: readonly Placed[], after: readonly Placed[]): number =>
  after.filter(({ sortOrder }, at) => sortOrder !== before[at]?.sortOrder).length;

/**
 * Sets new positions for the entries from index `from`, each `step` after the previous entry. Returns undefined
 * if `from` is 0.
 */
function shifted(entries: readonly Placed[], from: number, to: number, step: 1 | -1): Placed[] | undefined {
  let last = entries[from - 1]?.sortOrder;
  if (last === undefined) return undefined;
  let isFree = false;
  const moved: Placed[] = [];
  for (const [at, entry] of entries.entries()) {
    // Later entries move only as far as necessary.
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

/** A change of a translation. A missing question or answer does not change. */
interface Translating {
  readonly language: string;
  readonly draft: boolean;
  readonly deletes: boolean;
  readonly text: { readonly question?: string | undefined; readonly answer?: string | undefined };
}

/** Sets or deletes the translation of an entry into a language. */
async function translateFaq(
  invocation: Invocation,
  given: string,
  { language, draft, deletes, text }: Translating,
): Promise<undefined> {
  const api = await faqApi(invocation);
  const id = await faqId(api, given);
  const body = { translations: { [language]: deletes ? null : await wholeText() } };
  if (draft) return saveDraft(invocation, id, body);
  const faq = await api.update(id, body);
  note(
    invocation,
    `${deletes ? "Deleted" : "Changed"} the translation of FAQ entry ${faq.id} into ${language}.`,
  );
  const after =
    (await goesThroughConsole(invocation)) && !invocation.flags.dryRun ? await api.read() : undefined;
  const shown = after?.entries.find((entry) => entry.id === faq.id) ?? faq;
  printOne(invocation, { ...faq, translations: Object(shown).translations ?? body.translations }, () =>
    faqDetails(faq),
  );

  /**
   * Returns both texts of the translation, because the server requires both. Throws a usage error if one is missing.
   */
  async function wholeText() {
    const stored = (await api.read()).entries.find((entry) => entry.id === id)?.translations?.[language];
    const { question = stored?.question, answer = stored?.answer } = text;
    if (question !== undefined && answer !== undefined) return { question, answer };
    throw usageError(
      `There is no translation into ${language} yet.`,
      "A new translation needs --question and --answer.",
    );
  }
}

/** Lists the entries that have a text that is not published. */
async function listDrafts(invocation: Invocation): Promise<undefined> {
  const params = { appId: await appIdOf(invocation) };
  printList(invocation, {
    items: await invocation.client().consoleFaqs.drafts({ params }),
    columns: [
      { heading: "id", of: ({ id }) => id, isId: true },
      { heading: "published", of: ({ published }) => published },
      { heading: "question", of: ({ question, draft }) => draft?.question ?? question },
      { heading: "answer", of: ({ answer, draft }) => draft?.answer ?? answer },
    ],
  });
}

async function createDraft(
  invocation: Invocation,
  body: { readonly question: string; readonly answer: string },
): Promise<undefined> {
  const params = { appId: await appIdOf(invocation) };
  const faq = await invocation.client().consoleFaqs.createDraft({ params, body });
  note(invocation, `Created FAQ entry ${faq.id} as a draft.`);
  show(invocation, faq);
}

async function saveDraft(
  invocation: Invocation,
  given: string,
  body: Pick<FaqChange, "question" | "answer" | "translations">,
): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const faq = await invocation.client().consoleFaqs.saveDraft({ params, body });
  note(invocation, `Saved a draft of FAQ entry ${faq.id}.`);
  show(invocation, faq);
}

async function publishFaq(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const faq = await invocation.client().consoleFaqs.publish({ params });
  note(invocation, `Published FAQ entry ${faq.id}.`);
  show(invocation, faq);
}

async function discardDraft(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const faq = await invocation.client().consoleFaqs.removeDraft({ params });
  note(invocation, `FAQ entry ${faq.id} has no draft any more.`);
  show(invocation, faq);
}

/** Lists the earlier texts of an entry. */
async function listVersions(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const { items } = await invocation.client().consoleFaqs.history({ params });
  const { printEarlierTexts } = await import("./core/content.ts");
  printEarlierTexts(invocation, items, [
    { heading: "question", of: ({ question }) => question },
    { heading: "answer", of: ({ answer }) => answer },
  ]);
}

/** Stores an earlier text of an entry as its draft. */
async function restoreVersion(
  invocation: Invocation,
  { to }: { readonly to: string },
  given: string,
): Promise<undefined> {
  const { idOfEarlierText } = await import("./core/content.ts");
  const params = { faqId: await wholeFaqId(invocation, given) };
  const version = await idOfEarlierText(to, {
    command: `innkeep faq history ${given}`,
    list: () => invocation.client().consoleFaqs.history({ params }),
    name: ({ question }) => question,
  });
  const faq = await invocation.client().consoleFaqs.restore({ params, body: { version } });
  note(
    invocation,
    `The earlier text is now the draft of FAQ entry ${faq.id}. \`faq publish\` publishes the draft.`,
  );
  show(invocation, faq);
}

const show = (invocation: Invocation, faq: DraftedFaq): void =>
  printOne(invocation, faq, () =>
    details({
      ...{ id: faq.id, published: faq.published ? "yes" : "no", sortOrder: faq.sortOrder },
      ...{ question: faq.draft?.question ?? faq.question, answer: faq.draft?.answer ?? faq.answer },
      draft: faq.draft === null ? "no" : "yes",
    }),
  );

const wholeFaqId = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "FAQ entry",
    command: "innkeep faq list --drafts",
    list: async () => {
      const { consoleFaqs } = invocation.client();
      const params = { appId: await appIdOf(invocation) };
      const lists = await Promise.all([consoleFaqs.drafts({ params }), consoleFaqs.list({ params })]);
      const named = lists.flat().map(({ id, question }) => [id, question] as const);
      return [...new Map(named)].map(([id, name]) => ({ id, name }));
    },
  });
