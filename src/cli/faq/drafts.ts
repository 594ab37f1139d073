import type { DraftedFaq, FaqChange } from "../../contract/faqs.ts";
import { usageError } from "../core/cli-error.ts";
import { idOfEarlierText, printEarlierTexts } from "../core/content.ts";
import type { Invocation } from "../core/context.ts";
import { appIdOf, goesThroughConsole, wholeId } from "../core/ids.ts";
import { details, note, printList, printOne } from "../core/output.ts";
import { faqApi, faqDetails, faqId } from "./api.ts";

/** A change of a translation. A missing question or answer does not change. */
interface Translating {
  readonly language: string;
  readonly draft: boolean;
  readonly deletes: boolean;
  readonly text: { readonly question?: string | undefined; readonly answer?: string | undefined };
}

/** Sets or deletes the translation of an entry into a language. */
export async function translateFaq(
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
   * Returns the question and the answer of the translation. Both are needed, because the server does not accept one
   * without the other.
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
export async function listDrafts(invocation: Invocation): Promise<undefined> {
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

export async function createDraft(
  invocation: Invocation,
  body: { readonly question: string; readonly answer: string },
): Promise<undefined> {
  const params = { appId: await appIdOf(invocation) };
  const faq = await invocation.client().consoleFaqs.createDraft({ params, body });
  note(invocation, `Created FAQ entry ${faq.id} as a draft.`);
  show(invocation, faq);
}

export async function saveDraft(
  invocation: Invocation,
  given: string,
  body: Pick<FaqChange, "question" | "answer" | "translations">,
): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const faq = await invocation.client().consoleFaqs.saveDraft({ params, body });
  note(invocation, `Saved a draft of FAQ entry ${faq.id}.`);
  show(invocation, faq);
}

/** Publishes the draft of an entry. */
export async function publishFaq(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const faq = await invocation.client().consoleFaqs.publish({ params });
  note(invocation, `Published FAQ entry ${faq.id}.`);
  show(invocation, faq);
}

export async function discardDraft(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const faq = await invocation.client().consoleFaqs.removeDraft({ params });
  note(invocation, `FAQ entry ${faq.id} has no draft any more.`);
  show(invocation, faq);
}

/** Lists the earlier texts of an entry. */
export async function listVersions(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const params = { faqId: await wholeFaqId(invocation, given) };
  const { items } = await invocation.client().consoleFaqs.history({ params });
  printEarlierTexts(invocation, items, [
    { heading: "question", of: ({ question }) => question },
    { heading: "answer", of: ({ answer }) => answer },
  ]);
}

/** Stores an earlier text of an entry as its draft. */
export async function restoreVersion(
  invocation: Invocation,
  { to }: { readonly to: string },
  given: string,
): Promise<undefined> {
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

/**
 * Returns the whole id of an entry, which may be a draft. The person may give only the first characters of the id.
 */
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
