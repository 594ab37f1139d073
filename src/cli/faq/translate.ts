import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { goesThroughConsole } from "../core/ids.ts";
import { note, printOne } from "../core/output.ts";
import { faqApi, faqDetails, faqId } from "./api.ts";
import { saveDraft } from "./drafts.ts";

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

  /** Returns the question and the answer of the translation, because the server accepts only both together. */
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
