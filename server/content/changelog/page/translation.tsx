import {
  consoleChangelog,
  type EditedChangelogEntry,
  type ReleaseTranslation,
} from "../../../../src/contract/changelog.ts";
import { texts } from "../../../../src/contract/texts.ts";
import {
  changedValues,
  type Filled,
  filledAgain,
  filledWith,
  filledWithSent,
  givenFor,
  HiddenFields,
  IdempotencyField,
  OriginalVersions,
  originalVersions,
  sentVersions,
  TextArea,
  TextField,
  type Values,
} from "../../../console/forms.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { appNavigationOf } from "../../../console/navigation.ts";
import { Can, Line, Refused } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.ts";
import type { SignedInVisit, UploadVisit } from "../../../console/visit.ts";
import type { ComparedField } from "../../texts/unpublished.tsx";
import {
  attributesOf,
  DeleteTranslation,
  type DeletionDone,
  isOutdated,
  LanguageTabs,
  languageName,
  languagesOf,
  OutdatedNotice,
  shownLanguage,
  staysPublished,
  type TranslationDone,
} from "../../texts/tabs.tsx";
import { Desk, MarkdownField, withPictures } from "../../texts/parts.tsx";
import { htmlOf } from "../../texts/html.ts";
import { ReleaseText } from "./release-text.tsx";

/** Returns the translations that a draft changes, each with the published translation. */
export const comparedTranslations = ({ translations, draft }: EditedChangelogEntry): ComparedField[] =>
  Object.entries(draft?.translations ?? {}).map(([tag, text]) => ({
    label: languageName(tag),
    published: wholeText(translations[tag]),
    draft: wholeText(text ?? undefined),
  }));

/** Returns a translation as one text. */
export const wholeText = (text: ReleaseTranslation | undefined): string =>
  text === undefined
    ? ""
    : [text.title, text.body, text.items.map((item) => `${item.type}: ${item.text}`).join("\n")]
        .filter((part) => part !== "")
        .join("\n\n");

/**
 * Returns the text from which a note is translated: the text of its draft if there is one, otherwise the published
 * text.
 */
const originalOf = ({ draft, ...entry }: EditedChangelogEntry) => draft ?? entry;

/** The names of the fields contain the language, so that each language has its own unsent text. */
const namesOf = (tag: string) => ({
  title: `translations.${tag}.title`,
  body: `translations.${tag}.body`,
  item: (at: number) => `translations.${tag}.items.${at}.text`,
});

/**
 * Returns the types of the changes for which the form of a translation has fields: first the changes of the note, then
 * the changes that only the translation has.
 */
const typesOf = (entry: EditedChangelogEntry, tag: string): string[] => {
  const own = (translationOf(entry, tag)?.items ?? []).map(({ type }) => type);
  const original = originalOf(entry).items.map(({ type }) => type);
  return original.length >= own.length ? original : [...original, ...own.slice(original.length)];
};

function translationOf({ translations, draft }: EditedChangelogEntry, tag: string) {
  const drafted = draft?.translations[tag];
  return drafted === null ? undefined : (drafted ?? translations[tag]);
}

function currentOf(entry: EditedChangelogEntry, tag: string): Values {
  const names = namesOf(tag);
  const text = translationOf(entry, tag);
  const lines = typesOf(entry, tag).map((_, at): [string, string] => [
    names.item(at),
    text?.items[at]?.text ?? "",
  ]);
  return { [names.title]: text?.title ?? "", [names.body]: text?.body ?? "", ...Object.fromEntries(lines) };
}

/** Returns the translation from the values of a form. Changes without a text are left out. */
function textIn(entry: EditedChangelogEntry, tag: string, value: (name: string) => string) {
  const names = namesOf(tag);
  const items = typesOf(entry, tag).map((type, at) => ({ type, text: value(names.item(at)).trim() }));
  return {
    title: value(names.title),
    body: value(names.body),
    items: items.filter(({ text }) => text !== ""),
  };
}

/** Saves a translation. If the note has a draft, the translation is saved in the draft. */
export function saveTranslation(
  visit: SignedInVisit,
  entry: EditedChangelogEntry,
  tag: string,
): Promise<Reply<TranslationDone>> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const current = currentOf(entry, tag);
      const values = { ...current, ...changedValues(fields, givenFor(fields, current), current) };
      const text = textIn(entry, tag, (name) => values[name] ?? "");
      const body = { translations: { [tag]: text } };
      const [params, { idempotencyKey }] = [{ entryId: entry.id }, fields];
      const address = `${links.entry(param("appId"), entry.id)}?${new URLSearchParams({ lang: tag })}`;
      if (entry.draft || (entry.publishedAt !== null && fields.text("intent") === "draft")) {
        await ask(consoleChangelog.saveDraft, { params, body, idempotencyKey });
        return goTo(address, "translation-drafted");
      }
      await ask(consoleChangelog.update, { params, body, idempotencyKey });
      return goTo(address, "translation-saved");
    },
    (refusal) => showTranslation(visit, { entry, tag, given: filledAgain(fields, refusal) }),
  );
}

/** Deletes a translation. If there is a draft, the translation is deleted when the draft is published. */
export async function removeTranslation(visit: SignedInVisit): Promise<Reply<DeletionDone>> {
  const { ask, fields, links, param } = visit;
  const { tag = "" } = shownLanguage(visit);
  const params = { entryId: param("entryId") };
  const entry = await ask(consoleChangelog.read, { params });
  const endpoint = entry.draft === null ? consoleChangelog.update : consoleChangelog.saveDraft;
  const body = { translations: { [tag]: null } };
  await ask(endpoint, { params, body, idempotencyKey: fields.idempotencyKey });
  const done = staysPublished(entry, tag) ? "translation-deleted-in-draft" : "translation-deleted";
  return goTo(links.entry(param("appId"), params.entryId), done);
}

/** Shows the typed text with its preview, or with new pictures. Nothing is saved. */
export async function showTyped(
  visit: SignedInVisit,
  shown: Pick<Translating, "entry" | "tag">,
): Promise<Reply> {
  const given = filledWithSent(visit.fields);
  return { ...(await showTranslation(visit, { ...shown, given })), sentFields: [] };
}

/** Stores the pictures of the form. Returns the visit with their Markdown at the end of the translated text. */
export const withTranslatedPictures = async (visit: UploadVisit, tag: string): Promise<UploadVisit> => ({
  ...visit,
  fields: await withPictures(visit, texts.addReleasePictures, namesOf(tag).body),
});

interface Translating {
  readonly entry: EditedChangelogEntry;
  readonly tag: string;
  /** The sent form; undefined if it was not sent. */
  readonly given?: Filled | undefined;
}

/** Shows the form of a translation. Its preview and the default text are beside the form. */
export async function showTranslation(visit: SignedInVisit, { entry, tag, given }: Translating) {
  const navigation = await appNavigationOf(visit, "changelog");
  const address = navigation.links.entry(navigation.app.id, entry.id);
  const form = given ?? filledWith(currentOf(entry, tag));
  const title = `Release note in ${languageName(tag)}`;
  const language = attributesOf(tag);
  const text = textIn(entry, tag, form.value);
  const original = originalOf(entry);
  const values = (from: ReleaseTranslation) => ({
    ...{ title: from.title, version: original.version, bodyFormat: original.bodyFormat },
    items: JSON.stringify(from.items.map(({ type, text: line }) => ({ type, text: line }))),
  });
  const html = (body: string) => htmlOf(visit.settings, body);
  const beside = (
    <div class="stack">
      <ReleaseText entry={values(text)} html={await html(text.body)} language={language} />
      <ReleaseText entry={values(original)} html={await html(original.body)} label="Default text" />
    </div>
  );
  return show(
    <ConsolePage navigation={navigation} title={title}>
      <a class="back" href={address}>
        <span aria-hidden="true">←</span> Release note
      </a>
      <div class="head">
        <h1>{title}</h1>
      </div>
      <LanguageTabs address={address} languages={languagesOf(entry)} shown={{ tag, unknown: undefined }} />
      <Can needs="maintainer" otherwise={beside}>
        <Desk
          form={
            <div class="stack">
              {isOutdated(entry, tag) && <OutdatedNotice />}
              <TranslationForm {...{ form, entry, tag, given }} action={address} fields={visit.fields} />
              {translationOf(entry, tag) && (
                <DeleteTranslation
                  tag={tag}
                  action={`${address}/translation`}
                  isInDraft={staysPublished(entry, tag)}
                />
              )}
            </div>
          }
          preview={beside}
        />
      </Can>
    </ConsolePage>,
    given?.refusal?.status,
  );
}

const TranslationForm = ({
  form,
  entry,
  tag,
  given,
  action,
  fields,
}: Translating & {
  readonly form: Filled;
  readonly action: string;
  readonly fields: SignedInVisit["fields"];
}) => {
  const names = namesOf(tag);
  const language = attributesOf(tag);
  const current = currentOf(entry, tag);
  const isPreview = given !== undefined && given.refusal === undefined;
  const original = originalOf(entry);
  return (
    <form class="card stack" method="post" action={action} data-guards data-previews>
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      <HiddenFields values={[["lang", tag]]} />
      <OriginalVersions versions={isPreview ? sentVersions(fields, current) : originalVersions(current)} />
      <TextField form={form} name={names.title} label="Title" language={language} required />
      {original.bodyFormat === "markdown" || form.value(names.body) !== "" ? (
        <MarkdownField
          form={form}
          name={names.body}
          label="Text"
          language={language}
          pictures={`${action}/pictures`}
        />
      ) : (
        <HiddenFields values={[[names.body, ""]]} />
      )}
      {typesOf(entry, tag).map((type, at) => (
        <TextArea
          key={names.item(at)}
          form={form}
          name={names.item(at)}
          label={`Change ${at + 1} (${type})`}
          size="line"
          language={language}
          hint={original.items[at] ? <Line text={original.items[at].text} /> : undefined}
        />
      ))}
      <div class="actions">
        <button class="primary" type="submit" name="intent" value="save">
          {entry.draft === null ? "Save" : "Save in the draft"}
        </button>
        {entry.draft === null && entry.publishedAt !== null && (
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
