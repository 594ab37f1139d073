import { diffArrays } from "diff";
import { type ComponentChildren, h } from "preact";
import { canonicalLanguage } from "../../../src/contract/content-text.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { isReceivedFile } from "../../../src/contract/files.ts";
import { contentPictures, limits } from "../../../src/contract/limits.ts";
import type { texts } from "../../../src/contract/texts.ts";
import type { SignedInVisit, UploadVisit } from "../../console/definitions.ts";
import {
  Confirmation,
  type Fields,
  type Filled,
  faultAt,
  HiddenFields,
  IdempotencyField,
  originalVersionName,
  TextArea,
} from "../../console/forms.tsx";
import type { NotDone } from "../../console/notices.ts";
import { Can, Line, Notice, Person, UserText } from "../../console/parts.tsx";
import { Timestamp } from "../../console/times.tsx";
import { directionOf } from "./rules.ts";

/** A form, and next to it the preview of its text. */
export const Desk = ({
  form,
  preview,
}: {
  readonly form: ComponentChildren;
  readonly preview: ComponentChildren;
}) => (
  <div class="desk">
    <div>{form}</div>
    {preview}
  </div>
);

export interface TextLanguage {
  readonly lang: string;
  readonly dir: "ltr" | "rtl";
}

/** The preview of a text. The page's script updates it while the person types. */
export const Preview = ({
  label = "Preview",
  language,
  children,
}: {
  /** The language of the text, if it differs from the language of the page. */
  readonly language?: TextLanguage | undefined;
  /** The title: `Text` if the person cannot change the text, `Default text` if it is next to a translation. */
  readonly label?: "Preview" | "Text" | "Default text" | undefined;
  readonly children: ComponentChildren;
}) => (
  <section
    class="card stack preview"
    aria-label={label}
    data-preview={label === "Preview" ? "" : undefined}
    tabIndex={-1}
  >
    {label !== "Text" && <p class="muted small">{label}</p>}
    {language ? (
      <div class="stack" {...language}>
        {children}
      </div>
    ) : (
      children
    )}
  </section>
);

/** A text whose Markdown was converted to HTML. HTML in the Markdown must be escaped already. */
export const Rendered = ({ html }: { readonly html: string }) =>
  html.trim() === "" ? (
    <p class="muted">The preview of the text appears here.</p>
  ) : (
    // No other part of the console contains raw HTML.
    h("div", { class: "markdown", dangerouslySetInnerHTML: { __html: html } })
  );

/** The first button of a form. The Enter key clicks this button, so `intent` must not publish anything. */
export const EnterButton = ({ intent }: { readonly intent: "draft" | "save" }) => (
  <button class="unseen" type="submit" name="intent" value={intent} tabIndex={-1} aria-hidden="true">
    Save
  </button>
);

/** A field for Markdown. The field below it uploads pictures and adds them to the text. */
export const MarkdownField = ({
  form,
  name,
  label,
  required = false,
  pictures,
  language,
}: {
  readonly language?: TextLanguage | undefined;
  readonly form: Filled;
  readonly name: string;
  readonly label: string;
  readonly required?: boolean;
  /** The address to which the form uploads pictures. */
  readonly pictures: string;
}) => (
  <>
    <TextArea
      form={form}
      name={name}
      label={label}
      size="tall"
      required={required}
      language={language}
      hint={
        <>
          You can use Markdown: <code>**bold**</code>, <code>- a list</code>, <code>[a link](https://…)</code>
          . HTML is shown as text.
        </>
      }
    />
    <PictureField form={form} into={name} action={pictures} />
  </>
);

const PictureField = ({
  form,
  into,
  action,
}: {
  readonly form: Filled;
  readonly into: string;
  readonly action: string;
}) => {
  const fault = faultAt(form, "pictures");
  return (
    <div class="field">
      <label for="field-pictures">Pictures</label>
      <div class="pick">
        <input
          type="file"
          id="field-pictures"
          name="pictures"
          accept={contentPictures.types.join(",")}
          multiple
          aria-describedby={
            fault === undefined ? "field-pictures-hint" : "field-pictures-hint field-pictures-fault"
          }
        />
        {h(
          "button",
          {
            type: "submit",
            class: "quiet",
            formaction: action,
            formenctype: "multipart/form-data",
            formnovalidate: true,
            "data-adds-pictures": into,
          },
          "Add to the text",
        )}
      </div>
      <p class="hint" id="field-pictures-hint">
        At most {contentPictures.most} at a time, each up to 2 MB: PNG, JPEG, WebP or GIF. Everybody who has
        the address of a picture can see it.
      </p>
      {fault !== undefined && (
        <p class="fault" id="field-pictures-fault">
          Pictures {fault}.
        </p>
      )}
    </div>
  );
};

export const picturesNotAdded: NotDone = { word: "addPictures", notDone: "The pictures were not added." };

/** Stores the pictures of a form. Returns the form's fields; Markdown for the pictures is added to the field `into`. */
export async function withPictures(
  { ask, body, fields, param }: UploadVisit,
  endpoint: typeof texts.addFaqPictures | typeof texts.addReleasePictures,
  into: string,
): Promise<Fields> {
  const sent = Array.isArray(body.pictures) ? body.pictures.filter(isReceivedFile) : [];
  const params = { appId: param("appId") };
  const { pictures } = await ask(endpoint, { params, body: { pictures: sent } });
  const added = pictures.map(({ markdown }) => markdown).join("\n");
  const text = fields.text(into).trimEnd();
  const longer = text === "" ? added : `${text}\n\n${added}`;
  return { ...fields, text: (name) => (name === into ? longer : fields.text(name)) };
}

interface ShownLanguage {
  readonly tag: string | undefined;
  /** The text that a person typed as a language, if it is not a valid language tag. */
  readonly unknown: string | undefined;
}

/** Returns the language from the sent form or from the address of the page. */
export function shownLanguage({ query, fields }: SignedInVisit): ShownLanguage {
  const typed = (fields.text("lang") || query("lang")).trim().replaceAll("_", "-");
  const tag = typed === "" ? undefined : canonicalLanguage(typed);
  return { tag, unknown: typed !== "" && tag === undefined ? typed : undefined };
}

let names: Intl.DisplayNames | undefined;

/** Returns the English name of a language, such as `German` for `de`. Returns the tag if there is no name. */
export function languageName(tag: string): string {
  names ??= new Intl.DisplayNames(["en"], { type: "language" });
  return names.of(tag) ?? tag;
}

export const attributesOf = (tag: string) => ({ lang: tag, dir: directionOf(tag) });

/** The tab for a translation. `outdated` is true if the default text has changed since the translation was saved. */
interface TabLanguage {
  readonly tag: string;
  readonly outdated: boolean;
}

/** Returns the languages of a text and of its draft, without the languages that the draft deletes. */
export const languagesOf = ({ translations, draft }: Translated): TabLanguage[] =>
  [...new Set([...Object.keys(translations), ...Object.keys(draft?.translations ?? {})])]
    .filter((tag) => draft?.translations[tag] !== null)
    .sort()
    .map((tag) => ({ tag, outdated: isOutdated({ translations, draft }, tag) }));

/** Whether a published translation is outdated and the draft does not contain a newer translation. */
export const isOutdated = ({ translations, draft }: Translated, tag: string): boolean =>
  !draft?.translations[tag] && translations[tag]?.outdated === true;

interface Translated {
  readonly translations: Readonly<Record<string, { readonly outdated: boolean } | undefined>>;
  readonly draft: { readonly translations: Readonly<Record<string, object | null | undefined>> } | null;
}

export const translationSaved = {
  "translation-saved": "The translation is saved.",
  "translation-drafted": "The translation is saved in the draft. It is not published.",
} as const;

export type TranslationDone = keyof typeof translationSaved;

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
          <Line text={[...unknown].slice(0, 60).join("")} /> is not a language tag. Type a tag such as de or
          pt-BR.
        </Notice>
      )}
    </div>
  );
};

const common = [
  ...["ar", "bn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja"],
  ...["ko", "nl", "no", "pl", "pt", "pt-BR", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh-Hans", "zh-Hant"],
];

export const OutdatedNotice = () => (
  <Notice kind="attention">
    The default text has changed since this translation was saved. Compare both. If the translation is still
    correct, save it again without a change.
  </Notice>
);

/** Whether a translation stays published after its deletion, until the draft is published. */
export const staysPublished = ({ translations, draft }: Translated, tag: string): boolean =>
  draft !== null && translations[tag] !== undefined;

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

/** A field whose published value and draft are compared. */
export interface ComparedField {
  readonly label: string;
  readonly published: string;
  readonly draft: string;
}

/** Shows the number of unpublished changes, the difference, and a button that discards the draft. (rule C30) */
export const Unpublished = ({
  fields,
  conflict,
  version,
  discard,
}: {
  readonly fields: readonly ComparedField[];
  readonly conflict: boolean;
  /** The version of the draft. */
  readonly version: string;
  /** The address of the form that discards the draft. */
  readonly discard: string;
}) => {
  const changed = fields.filter(({ published, draft }) => published !== draft);
  return (
    <section class="card stack" aria-labelledby="unpublished">
      <h2 id="unpublished">{countOfChanges(changed.length)}</h2>
      {conflict && (
        <Notice kind="attention">
          The published text has changed since this draft was saved. Compare both. If you publish the draft,
          that change is lost.
        </Notice>
      )}
      {changed.length > 0 && (
        <details class="reveal" open={conflict}>
          <summary>Show the difference</summary>
          {changed.map((field) => (
            <div key={field.label} class="stack tight">
              <h3>{field.label}</h3>
              <Difference {...field} />
            </div>
          ))}
        </details>
      )}
      <form method="post" action={discard}>
        <IdempotencyField />
        <HiddenFields values={[[shownDraft, version]]} />
        <button class="quiet danger" type="submit">
          Discard the draft
        </button>
      </form>
    </section>
  );
};

/** The hidden field with the version of the shown draft; empty if there is no draft. */
const shownDraft = originalVersionName("draft");

/** Throws `wrong_state` if there is a stored draft that is neither the draft on the page nor `restored`. */
export function refuseOtherDraft(fields: Fields, stored: string, restored = ""): void {
  if (["", restored, fields.text(shownDraft)].includes(stored)) return;
  throw new ApiError("wrong_state", {
    message:
      "Somebody else has changed the draft since you opened this page. Read it before you discard or replace it.",
  });
}

const countOfChanges = (count: number): string => {
  if (count === 0) return "The draft is the same as the published text";
  return count === 1 ? "1 change is not published" : `${count} changes are not published`;
};

/** The maximum number of different lines in a comparison. A longer comparison would block other requests. */
const mostChanges = 500;

/** The difference between the published text and the draft, line by line. */
const Difference = ({ published, draft }: ComparedField) => {
  const changes = diffArrays(published.split("\n"), draft.split("\n"), { maxEditLength: mostChanges });
  if (!changes) return <p class="muted">The two texts differ too much to compare them line by line.</p>;
  const lines = changes
    .flatMap(({ added, removed, value }) => value.map((text) => ({ added, removed, text })))
    .map((line, at) => ({ ...line, at }));
  return (
    <ul class="difference">
      {lines.map(({ added, removed, text, at }) => (
        <li key={at} class={added ? "added" : removed ? "removed" : undefined}>
          <span class="sign" aria-hidden="true">
            {added ? "+" : removed ? "−" : " "}
          </span>
          {(added || removed) && <span class="unseen">{added ? "Draft: " : "Published: "}</span>}
          <UserText text={text} exact />
        </li>
      ))}
    </ul>
  );
};

interface ShownVersion {
  readonly id: string;
  readonly at: string;
  readonly by: string | null;
  readonly text: ComponentChildren;
}

/** The earlier versions of a text, newest first. Each version has a button that restores it as a draft. */
export const History = ({
  items,
  draft,
  action,
  canRestore,
}: {
  readonly items: readonly ShownVersion[];
  /** The version of the draft that an earlier text would replace; empty if there is no draft. */
  readonly draft: string;
  /** The address of the form that restores an earlier version. */
  readonly action: string;
  readonly canRestore: boolean;
}) =>
  items.length === 0 ? null : (
    <details class="reveal">
      <summary>History ({items.length})</summary>
      <ol class="list">
        {items.map(({ id, at, by, text }) => (
          <li key={id}>
            <details class="reveal">
              <summary>
                <Timestamp at={at} />
                {by !== null && (
                  <>
                    {" by "}
                    <Person email={by} />
                  </>
                )}
              </summary>
              <div class="stack">
                {text}
                {canRestore && (
                  <form method="post" action={action}>
                    <IdempotencyField />
                    <HiddenFields
                      values={[
                        ["version", id],
                        [shownDraft, draft],
                      ]}
                    />
                    <button type="submit">Restore as a draft</button>
                  </form>
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </details>
  );

/** The state of a release note: draft, scheduled or published. */
export const PublicationBadge = ({
  publishedAt,
  now,
}: {
  readonly publishedAt: string | null;
  readonly now: Date;
}) => {
  if (publishedAt === null) return <span class="badge">Draft</span>;
  if (Date.parse(publishedAt) > now.getTime()) return <span class="badge attention">Scheduled</span>;
  return <span class="badge good">Published</span>;
};
