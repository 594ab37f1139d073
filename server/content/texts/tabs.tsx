import { canonicalLanguage } from "../../../src/contract/language-tags.ts";
import { limits } from "../../../src/contract/limits.ts";
import { Confirmation } from "../../console/forms.tsx";
import { Can, Line, Notice } from "../../console/parts.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { directionOf } from "./languages-rules.ts";

/** The language that a page shows; undefined for the default language. */
export interface ShownLanguage {
  readonly tag: string | undefined;
  /** The typed text, if it is not a valid language tag. */
  readonly unknown: string | undefined;
}

/** Returns the language in the address or in the sent form. */
export function shownLanguage({ query, fields }: SignedInVisit): ShownLanguage {
  const typed = (fields.text("lang") || query("lang")).trim().replaceAll("_", "-");
  const tag = typed === "" ? undefined : canonicalLanguage(typed);
  return { tag, unknown: typed !== "" && tag === undefined ? typed : undefined };
}

let names: Intl.DisplayNames | undefined;

/** Returns the English name of a language, such as `German`; the tag if it has none. */
export function languageName(tag: string): string {
  names ??= new Intl.DisplayNames(["en"], { type: "language" });
  return names.of(tag) ?? tag;
}

/** Returns the HTML attributes for a text in a language. */
export const attributesOf = (tag: string) => ({ lang: tag, dir: directionOf(tag) });

/** A language of a text, and whether its translation is older than the text of the default language. */
export interface TabLanguage {
  readonly tag: string;
  readonly outdated: boolean;
}

/** Returns the languages of a text and of its draft. A draft has null for a translation that it deletes. */
export const languagesOf = ({ translations, draft }: Translated): TabLanguage[] =>
  [...new Set([...Object.keys(translations), ...Object.keys(draft?.translations ?? {})])]
    .filter((tag) => draft?.translations[tag] !== null)
    .sort()
    .map((tag) => ({ tag, outdated: isOutdated({ translations, draft }, tag) }));

/** Whether the published translation of a language is older than the default text, and the draft does not change it. */
export const isOutdated = ({ translations, draft }: Translated, tag: string): boolean =>
  !draft?.translations[tag] && translations[tag]?.outdated === true;

interface Translated {
  readonly translations: Readonly<Record<string, { readonly outdated: boolean } | undefined>>;
  readonly draft: { readonly translations: Readonly<Record<string, object | null | undefined>> } | null;
}

/** The messages of a page after a translation was saved. */
export const translationSaved = {
  "translation-saved": "The translation is saved.",
  "translation-drafted": "The translation is saved in the draft. It is not published.",
} as const;

export type TranslationDone = keyof typeof translationSaved;

/** The messages of a page after a translation was deleted. */
export const translationDeleted = {
  "translation-deleted": "The translation is deleted.",
  "translation-deleted-in-draft":
    "The translation is deleted in the draft. The published translation stays until you publish the draft.",
} as const;

export type DeletionDone = keyof typeof translationDeleted;

/** The tabs for the languages of a text, and the field that adds a language. */
export const LanguageTabs = ({
  address,
  languages,
  shown: { tag: shown, unknown },
}: {
  readonly address: string;
  readonly languages: readonly TabLanguage[];
  readonly shown: ShownLanguage;
}) => {
  const isNew = shown !== undefined && languages.every(({ tag }) => tag !== shown);
  const all = isNew ? [...languages, { tag: shown, outdated: false }] : languages;
  return (
    <div class="languages" id="languages">
      <nav class="pills" aria-label="Languages">
        <a href={address} aria-current={shown === undefined ? "page" : undefined}>
          Default
        </a>
        {all.map(({ tag, outdated }) => (
          <a
            key={tag}
            href={`${address}?${new URLSearchParams({ lang: tag })}`}
            aria-current={tag === shown ? "page" : undefined}
          >
            {languageName(tag)}
            {outdated && <span class="outdated"> outdated</span>}
          </a>
        ))}
      </nav>
      <Can needs="maintainer">
        {languages.length < limits.languages && (
          <details class="reveal" open={unknown !== undefined}>
            <summary>Add a language</summary>
            <form class="row" method="get" action={`${address}#languages`}>
              <label for="new-language">Language</label>
              <input
                id="new-language"
                class="tag"
                type="text"
                name="lang"
                required
                maxLength={limits.language}
                placeholder="de or pt-BR"
                list="common-languages"
                autocomplete="off"
                spellcheck={false}
              />
              <datalist id="common-languages">
                {common.map((tag) => (
                  <option key={tag} value={tag}>
                    {languageName(tag)}
                  </option>
                ))}
              </datalist>
              <button type="submit">Translate</button>
            </form>
          </details>
        )}
      </Can>
      {unknown !== undefined && (
        <Notice kind="attention">
          <Line text={unknown.slice(0, 60)} /> is not a language tag. Type a tag such as de or pt-BR.
        </Notice>
      )}
    </div>
  );
};

const common = [
  ...["ar", "bn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja"],
  ...["ko", "nl", "no", "pl", "pt", "pt-BR", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh-Hans", "zh-Hant"],
];

/** Shows that a translation is older than its original text. */
export const OutdatedNotice = () => (
  <Notice kind="attention">
    The default text has changed since this translation was saved. Compare both. If the translation is still
    correct, save it again without a change.
  </Notice>
);

/**
 * Whether the deletion of a translation changes only the draft. The published translation then stays until the draft is
 * published.
 */
export const staysPublished = ({ translations, draft }: Translated, tag: string): boolean =>
  draft !== null && translations[tag] !== undefined;

/** The form that deletes a translation. */
export const DeleteTranslation = ({
  tag,
  action,
  isInDraft,
}: {
  readonly tag: string;
  readonly action: string;
  /** Whether the translation stays published until the draft is published. */
  readonly isInDraft: boolean;
}) => (
  <Confirmation
    offer="Delete this translation"
    action={`${action}?${new URLSearchParams({ lang: tag })}`}
    button="Delete the translation"
    danger
    large
  >
    {isInDraft
      ? "It is deleted in the draft. When you publish the draft, people with this language get the default text."
      : "People with this language get the default text."}
  </Confirmation>
);
