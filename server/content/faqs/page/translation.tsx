import { consoleFaqs, type DraftedFaq } from "../../../../src/contract/faqs.ts";
import {
  changedValues,
  type Filled,
  filledWith,
  givenFor,
  HiddenFields,
  IdempotencyField,
  OriginalVersions,
  originalVersions,
  sentVersions,
  TextField,
  type Values,
} from "../../../console/forms.tsx";
import { Can, Line, Refused } from "../../../console/parts.tsx";
import { goTo, type Reply } from "../../../console/respond.ts";
import type { SignedInVisit } from "../../../console/visit.ts";
import type { ComparedField } from "../../texts/unpublished.tsx";
import {
  attributesOf,
  DeleteTranslation,
  type DeletionDone,
  isOutdated,
  languageName,
  languagesOf,
  OutdatedNotice,
  shownLanguage,
  staysPublished,
  type TranslationDone,
} from "../../texts/tabs.tsx";
import { Desk, MarkdownField, Preview, Rendered } from "../../texts/parts.tsx";
import { htmlOf } from "../../texts/html.ts";

/** Returns the translations that a draft changes, each with the published translation. */
export const comparedTranslations = ({ translations, draft }: DraftedFaq): ComparedField[] =>
  Object.entries(draft?.translations ?? {}).flatMap(([tag, text]) => [
    {
      label: `Question in ${languageName(tag)}`,
      published: translations[tag]?.question ?? "",
      draft: text?.question ?? "",
    },
    {
      label: `Answer in ${languageName(tag)}`,
      published: translations[tag]?.answer ?? "",
      draft: text?.answer ?? "",
    },
  ]);

/** The names of the fields contain the language, so that each language has its own unsent text. */
const namesOf = (tag: string) => ({
  question: `translations.${tag}.question`,
  answer: `translations.${tag}.answer`,
});

/**
 * Returns the values of the form for a language. If the draft changes the translation, they are the values of the
 * draft.
 */
function currentOf({ translations, draft }: DraftedFaq, tag: string): Values {
  const { question, answer } = namesOf(tag);
  const text =
    draft?.translations[tag] ?? (draft?.translations[tag] === null ? undefined : translations[tag]);
  return { [question]: text?.question ?? "", [answer]: text?.answer ?? "" };
}

/** Saves a translation. If the entry has a draft or was never published, the translation is saved in the draft. */
export async function saveTranslation(
  { ask, fields, links, param }: SignedInVisit,
  faq: DraftedFaq,
  tag: string,
): Promise<Reply<TranslationDone>> {
  const current = currentOf(faq, tag);
  const values = { ...current, ...changedValues(fields, givenFor(fields, current), current) };
  const { question, answer } = namesOf(tag);
  const text = { question: values[question] ?? "", answer: values[answer] ?? "" };
  const body = { translations: { [tag]: text } };
  const params = { faqId: faq.id };
  const { idempotencyKey } = fields;
  const address = `${links.faq(param("appId"), faq.id)}?${new URLSearchParams({ lang: tag })}`;
  if (faq.draft !== null || fields.text("intent") === "draft") {
    await ask(consoleFaqs.saveDraft, { params, body, idempotencyKey });
    return goTo(address, "translation-drafted");
  }
  await ask(consoleFaqs.update, { params, body, idempotencyKey });
  return goTo(address, "translation-saved");
}

/** Deletes a translation. If there is a draft, the translation is deleted when the draft is published. */
export async function removeTranslation(visit: SignedInVisit): Promise<Reply<DeletionDone>> {
  const { ask, fields, links, param } = visit;
  const { tag = "" } = shownLanguage(visit);
  const params = { faqId: param("faqId") };
  const body = { translations: { [tag]: null } };
  const faq = await ask(consoleFaqs.read, { params });
  const endpoint = faq.draft === null ? consoleFaqs.update : consoleFaqs.saveDraft;
  await ask(endpoint, { params, body, idempotencyKey: fields.idempotencyKey });
  const done = staysPublished(faq, tag) ? "translation-deleted-in-draft" : "translation-deleted";
  return goTo(links.faq(param("appId"), params.faqId), done);
}

interface Translating {
  readonly faq: DraftedFaq;
  readonly tag: string;
  readonly action: string;
  /** The sent form; undefined if it was not sent. */
  readonly given: Filled | undefined;
}

/** Shows the form of a translation. Its preview and the default text are beside the form. */
export async function translationDesk(visit: SignedInVisit, { faq, tag, action, given }: Translating) {
  const current = currentOf(faq, tag);
  const form = given ?? filledWith(current);
  const names = namesOf(tag);
  const isPreview = given !== undefined && given.refusal === undefined;
  const versions = isPreview ? sentVersions(visit.fields, current) : originalVersions(current);
  const language = attributesOf(tag);
  const preview = (
    <Preview language={language}>
      <h2>
        <Line text={form.value(names.question).trim() || "Untitled"} />
      </h2>
      <Rendered html={await htmlOf(visit.settings, form.value(names.answer))} />
    </Preview>
  );
  const original = (
    <Preview label="Default text">
      <h2>
        <Line text={faq.draft?.question ?? faq.question} />
      </h2>
      <Rendered html={await htmlOf(visit.settings, faq.draft?.answer ?? faq.answer)} />
    </Preview>
  );
  const beside = (
    <div class="stack">
      {preview}
      {original}
    </div>
  );
  return (
    <Can needs="maintainer" otherwise={beside}>
      <Desk
        form={
          <div class="stack">
            {isOutdated(faq, tag) && <OutdatedNotice />}
            <TranslationForm {...{ form, faq, tag, action, versions }} />
            {languagesOf(faq).some((one) => one.tag === tag) && (
              <DeleteTranslation
                tag={tag}
                action={`${action}/translation`}
                isInDraft={staysPublished(faq, tag)}
              />
            )}
          </div>
        }
        preview={beside}
      />
    </Can>
  );
}

const TranslationForm = ({
  form,
  faq,
  tag,
  action,
  versions,
}: Omit<Translating, "given"> & { readonly form: Filled; readonly versions: Values }) => {
  const names = namesOf(tag);
  const language = attributesOf(tag);
  return (
    <form class="card stack" method="post" action={action} data-guards data-previews>
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      <HiddenFields values={[["lang", tag]]} />
      <OriginalVersions versions={versions} />
      <TextField form={form} name={names.question} label="Question" language={language} required />
      <MarkdownField
        form={form}
        name={names.answer}
        label="Answer"
        language={language}
        required
        pictures={`${action}/pictures`}
      />
      <div class="actions">
        <button class="primary" type="submit" name="intent" value="save">
          {faq.draft === null ? "Save" : "Save in the draft"}
        </button>
        {faq.draft === null && (
          <button type="submit" name="intent" value="draft">
            Save as a draft
          </button>
        )}
        <button class="quiet" type="submit" name="intent" value="preview" formnovalidate>
          Preview
        </button>
      </div>
    </form>
  );
};
