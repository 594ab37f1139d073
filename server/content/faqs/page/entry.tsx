import type { ComponentChildren } from "preact";
import { ApiError } from "../../../../src/contract/errors.ts";
import { consoleFaqs, type DraftedFaq } from "../../../../src/contract/faqs.ts";
import { texts } from "../../../../src/contract/texts.ts";
import { threads } from "../../../../src/contract/threads.ts";
import {
  type Definitions,
  defineForm,
  definePage,
  defineUploadForm,
  type SignedInVisit,
  type UploadVisit,
} from "../../../console/definitions.ts";
import {
  Confirmation,
  changedValues,
  type Filled,
  faultAt,
  filledAgain,
  filledOver,
  filledWith,
  filledWithSent,
  givenFor,
  HiddenFields,
  IdempotencyField,
  OriginalValues,
  TextField,
  type Values,
  versionOf,
} from "../../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import { changed, changesNotSaved } from "../../../console/notices.ts";
import { Can, Line, Refused, UserText } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.tsx";
import { htmlOf } from "../../texts/html.ts";
import {
  attributesOf,
  type ComparedField,
  DeleteTranslation,
  type DeletionDone,
  Desk,
  EnterButton,
  History,
  isOutdated,
  LanguageTabs,
  languageName,
  languagesOf,
  MarkdownField,
  OutdatedNotice,
  Preview,
  picturesNotAdded,
  Rendered,
  refuseOtherDraft,
  shownLanguage,
  staysPublished,
  type TranslationDone,
  translationDeleted,
  translationSaved,
  Unpublished,
  withPictures,
} from "../../texts/parts.tsx";
import { changedTexts } from "../../texts/rules.ts";
import { entryFromThread, type FaqText } from "../rules.ts";

function createFaq(visit: SignedInVisit): Promise<Reply<"faq-created" | "draft-saved">> {
  const { ask, fields, links, param } = visit;
  if (fields.text("intent") === "preview") return showTyped(visit, showNewFaq);
  return reshowForm(
    async () => {
      const given = { question: fields.text("question"), answer: fields.text("answer") };
      if (fields.text("intent") === "draft") {
        const params = { appId: param("appId") };
        const draft = { params, body: given, idempotencyKey: fields.idempotencyKey };
        const { id } = await ask(consoleFaqs.createDraft, draft);
        return goTo(links.faq(params.appId, id), "draft-saved");
      }
      const body = faqBody({ ...given, sortOrder: fields.text("sortOrder") });
      await ask(consoleFaqs.create, {
        params: { appId: param("appId") },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.faqs(param("appId")), "faq-created");
    },
    (refusal) => showNewFaq(visit, filledAgain(fields, refusal)),
  );
}

function updateFaq(
  visit: SignedInVisit,
): Promise<Reply<"changed" | "faq-published" | "draft-saved" | TranslationDone>> {
  const { ask, fields, links, param } = visit;
  const intent = fields.text("intent");
  const { tag } = shownLanguage(visit);
  if (tag !== undefined && intent !== "preview")
    return reshowForm(
      async () => saveTranslation(visit, await readFaq(visit), tag),
      (refusal) => showFaq(visit, filledAgain(fields, refusal)),
    );
  if (intent === "preview") return showTyped(visit, showFaq);
  return reshowForm(
    async () => {
      const faq = await readFaq(visit);
      const current = currentFaq(faq);
      if (intent === "draft" || intent === "publish") return saveDraft(visit, faq, intent === "publish");
      const body = faqBody(changedValues(fields, givenFor(fields, current), current));
      await ask(consoleFaqs.update, {
        params: { faqId: param("faqId") },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.faqs(param("appId")), "changed");
    },
    (refusal) => showFaq(visit, filledAgain(fields, refusal)),
  );
}

/**
 * Saves the typed draft, and publishes it if `publishes`. A publication throws `draft_conflict` if the
 * published text changed.
 */
async function saveDraft(
  { ask, fields, links, param }: SignedInVisit,
  faq: DraftedFaq,
  publishes: boolean,
): Promise<Reply<"faq-published" | "draft-saved">> {
  // If the published version has changed, the person saw an outdated comparison with the draft.
  if (publishes && fields.text("was-published") !== publishedVersion(faq))
    throw new ApiError("draft_conflict");
  const { sortOrder: _, ...current } = currentFaq(faq);
  const params = { faqId: faq.id };
  const key = (act: string) => fields.idempotencyKey && `${fields.idempotencyKey}/${act}`;
  const body = changedValues(fields, givenFor(fields, current), current);
  await ask(consoleFaqs.saveDraft, { params, body, idempotencyKey: key("draft") });
  if (!publishes) return goTo(links.faq(param("appId"), faq.id), "draft-saved");
  await ask(consoleFaqs.publish, { params, idempotencyKey: key("publish") });
  return goTo(`${links.faqs(param("appId"))}?at=${faq.id}`, "faq-published", `faq-${faq.id}`);
}

const publishedVersion = ({ published, question, answer }: DraftedFaq): string =>
  published ? versionOf([question, answer]) : "";

function discardDraft(visit: SignedInVisit): Promise<Reply<"text-discarded">> {
  const { ask, fields, links, param } = visit;
  const params = { faqId: param("faqId") };
  return reshowForm(
    async () => {
      refuseOtherDraft(fields, draftVersion(await readFaq(visit)));
      await ask(consoleFaqs.removeDraft, { params, idempotencyKey: fields.idempotencyKey });
      return goTo(links.faq(param("appId"), params.faqId), "text-discarded");
    },
    (refusal) => showStored(visit, refusal),
  );
}

function restoreFaq(visit: SignedInVisit): Promise<Reply<"draft-saved">> {
  const { ask, fields, links, param } = visit;
  const [params, body] = [{ faqId: param("faqId") }, { version: fields.text("version") }];
  return reshowForm(
    async () => {
      const { items } = await ask(consoleFaqs.history, { params });
      const restored = items.find(({ id }) => id === body.version);
      const faq = await readFaq(visit);
      refuseOtherDraft(fields, draftVersion(faq), restored && restoredVersion(faq, restored));
      await ask(consoleFaqs.restore, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.faq(param("appId"), params.faqId), "draft-saved");
    },
    (refusal) => showStored(visit, refusal),
  );
}

/** Shows the stored text, and why a form without text fields was refused. */
async function showStored(visit: SignedInVisit, refusal: ApiError): Promise<Reply> {
  const faq = await readFaq(visit);
  return showFaq(visit, { ...filledWith(currentFaq(faq)), refusal });
}

/** Returns the version of the draft of an entry; empty if it has no draft. */
const draftVersion = ({ draft }: DraftedFaq): string => (draft === null ? "" : textVersion(draft));

type TranslatedText = Pick<NonNullable<DraftedFaq["draft"]>, "question" | "answer" | "translations">;

/**
 * Returns the version that `restored` would have as a draft. A draft does not contain unchanged translations.
 */
const restoredVersion = ({ translations }: DraftedFaq, restored: TranslatedText): string =>
  textVersion({ ...restored, translations: changedTexts(translations, restored.translations) });

const textVersion = ({ question, answer, translations }: TranslatedText): string =>
  versionOf([question, answer, translations]);

type ShowForm = (visit: SignedInVisit, form: Filled) => Promise<Reply>;

/** Shows the sent form again with a preview, without saving it. */
const showTyped = async (visit: SignedInVisit, showForm: ShowForm): Promise<Reply> => ({
  ...(await showForm(visit, filledWithSent(visit.fields))),
  sentFields: [],
});

/** Returns the name of the form field for the answer. The name depends on the language that the page shows. */
const answerField = (visit: SignedInVisit): string => {
  const { tag } = shownLanguage(visit);
  return tag === undefined ? "answer" : `translations.${tag}.answer`;
};

/** Stores the uploaded pictures, and shows the form again with the pictures in the answer. */
const addPictures =
  (showForm: ShowForm) =>
  async (visit: UploadVisit): Promise<Reply> => ({
    ...(await reshowForm(
      async () =>
        showForm(visit, filledWithSent(await withPictures(visit, texts.addFaqPictures, answerField(visit)))),
      (refusal) => showForm(visit, filledAgain(visit.fields, refusal)),
    )),
    sentFields: [],
  });

async function deleteFaq({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"faq-deleted">> {
  await ask(consoleFaqs.remove, { params: { faqId: param("faqId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.faqs(param("appId")), "faq-deleted");
}

/** The value of the field `fromThread` if the team has not replied in the thread. */
const unanswered = "unanswered";

/**
 * Returns the form for a new entry, filled from the thread in the query. Throws `not_found` for another app's
 * thread. (rule C33)
 */
async function newForm({ ask, param, query }: SignedInVisit): Promise<Filled> {
  const id = query("thread");
  if (id === "") return filledWith();
  const { app, feedback, sender, messages } = await ask(threads.read, { params: { id } });
  if (app.id !== param("appId").toLowerCase()) throw new ApiError("not_found");
  const entry = entryFromThread({ subject: feedback.subject, message: feedback.message, sender, messages });
  return filledWith({ ...entry, fromThread: entry.answer === "" ? unanswered : "on" });
}

async function showNewFaq(visit: SignedInVisit, given?: Filled): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs");
  const form = given ?? (await newForm(visit));
  const action = navigation.links.faqs(navigation.app.id, "new");
  return show(
    <FaqPage navigation={navigation} title="New entry">
      {form.value("fromThread") !== "" && (
        <p class="muted">
          {form.value("fromThread") === unanswered
            ? "This is the subject of the thread, without the data of the sender. The thread has no reply of your team, so write the answer. Read the question before you publish it."
            : "This is the subject of the thread and the newest reply of your team, without the data of the sender. Read both before you publish them."}
        </p>
      )}
      <Desk form={<FaqForm form={form} action={action} />} preview={await previewOf(visit, form)} />
    </FaqPage>,
    form.refusal?.status,
  );
}

async function showFaq(visit: SignedInVisit, given?: Filled): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs");
  const faq = await readFaq(visit);
  const address = navigation.links.faq(navigation.app.id, faq.id);
  const language = shownLanguage(visit);
  const tabs = <LanguageTabs address={address} languages={languagesOf(faq)} shown={language} />;
  if (language.tag !== undefined) {
    const shown = { faq, tag: language.tag, action: address, given };
    return show(
      <FaqPage navigation={navigation} title={`Entry in ${languageName(language.tag)}`} address={address}>
        {tabs}
        {await translationDesk(visit, shown)}
      </FaqPage>,
      given?.refusal?.status,
    );
  }
  const form = filledOver(given, currentFaq(faq));
  const { items } = await visit.ask(consoleFaqs.history, { params: { faqId: faq.id } });
  return show(
    <FaqPage navigation={navigation} title={navigation.app.role === "viewer" ? "Entry" : "Edit entry"}>
      {tabs}
      <Can needs="maintainer" otherwise={await previewOf(visit, form, "Text")}>
        <Desk
          form={
            <div class="stack">
              {faq.published && faq.draft && (
                <Unpublished
                  fields={[
                    { label: "Question", published: faq.question, draft: faq.draft.question },
                    { label: "Answer", published: faq.answer, draft: faq.draft.answer },
                    ...comparedTranslations(faq),
                  ]}
                  conflict={faq.draft.conflict}
                  version={draftVersion(faq)}
                  discard={`${address}/discard`}
                />
              )}
              <FaqForm form={form} action={address} faq={faq} place={faq.place} />
              <History
                items={items.map(({ question, answer, translations, ...version }) => ({
                  ...version,
                  text: <UserText text={withTranslations({ question, answer }, translations)} />,
                }))}
                draft={draftVersion(faq)}
                action={`${address}/restore`}
                canRestore
              />
              <Confirmation
                offer="Delete this entry"
                action={`${address}/delete`}
                button="Delete permanently"
                danger
                large
              >
                The entry disappears from your app immediately. You cannot restore it.
              </Confirmation>
            </div>
          }
          preview={await previewOf(visit, form)}
        />
      </Can>
    </FaqPage>,
    form.refusal?.status,
  );
}

/** The entry as an app can show it. */
const previewOf = async (visit: SignedInVisit, form: Filled, label?: "Text") => (
  <Preview label={label}>
    <h2>
      <Line text={form.value("question").trim() || "Untitled"} />
    </h2>
    <Rendered html={await htmlOf(visit.settings, form.value("answer"))} />
  </Preview>
);

/** Joins an earlier text and its translations to one text. */
const withTranslations = (text: FaqText, translations: Readonly<Record<string, FaqText>>): string =>
  [
    `${text.question}\n\n${text.answer}`,
    ...Object.entries(translations).map(
      ([tag, one]) => `${languageName(tag)}: ${one.question}\n\n${one.answer}`,
    ),
  ].join("\n\n");

/** Returns the entry in the path. Throws `not_found` if the app in the path does not have this entry. */
async function readFaq({ ask, param }: SignedInVisit): Promise<ShownFaq> {
  const params = { appId: param("appId") };
  const [faqs, drafts] = await Promise.all([
    ask(consoleFaqs.list, { params }),
    ask(consoleFaqs.drafts, { params }),
  ]);
  const isWanted = ({ id }: { readonly id: string }) => id === param("faqId").toLowerCase();
  const faq = faqs.find(isWanted);
  const found = drafts.find(isWanted) ?? (faq && { ...faq, published: true, draft: null });
  if (!found) throw new ApiError("not_found");
  return { ...found, place: faq && `${faqs.indexOf(faq) + 1} of ${faqs.length}` };
}

interface ShownFaq extends DraftedFaq {
  /** The position in the list; undefined for an entry that is not published. */
  readonly place: string | undefined;
}

const FaqPage = ({
  navigation,
  title,
  address,
  children,
}: {
  readonly navigation: AppNavigation;
  readonly title: string;
  /** The address of the entry, for the link back from the page of a translation. */
  readonly address?: string;
  readonly children: ComponentChildren;
}) => (
  <ConsolePage navigation={navigation} title={title}>
    {address === undefined ? (
      <a class="back" href={navigation.links.faqs(navigation.app.id)}>
        <span aria-hidden="true">←</span> FAQ
      </a>
    ) : (
      <a class="back" href={address}>
        <span aria-hidden="true">←</span> Entry
      </a>
    )}
    <div class="head">
      <h1>{title}</h1>
    </div>
    {children}
  </ConsolePage>
);

const FaqForm = ({
  form,
  action,
  faq,
  place,
}: {
  readonly form: Filled;
  /** The position in the list, such as `3 of 12`; undefined for an entry that is not in the list. */
  readonly place?: string | undefined;
  readonly action: string;
  /** The stored entry; undefined for a new entry. */
  readonly faq?: DraftedFaq;
}) => {
  // A text from a thread becomes a draft, because a person must check it before it is published.
  const beginsAsDraft = !faq && form.value("fromThread") !== "";
  const saveAsDraft = (
    <button class={beginsAsDraft ? "primary" : undefined} type="submit" name="intent" value="draft">
      {faq?.draft ? "Save the draft" : "Save as a draft"}
    </button>
  );
  return (
    <form class="card stack" method="post" action={action} data-guards data-previews>
      <EnterButton intent="draft" />
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      {beginsAsDraft && <input type="hidden" name="fromThread" value={form.value("fromThread")} />}
      {faq && <OriginalValues current={currentFaq(faq)} form={form} />}
      {faq && <input type="hidden" name="was-published" value={publishedVersion(faq)} />}
      <TextField form={form} name="question" label="Question" required />
      <MarkdownField form={form} name="answer" label="Answer" required pictures={`${action}/pictures`} />
      {!faq?.draft && (
        <details class="reveal" open={faultAt(form, "sortOrder") !== undefined}>
          <summary>{place === undefined ? "Order" : `Order: ${place}`}</summary>
          <TextField
            form={form}
            name="sortOrder"
            label="Sort number"
            inputMode="numeric"
            hint="Entries are sorted by this whole number, which the API and files call sortOrder. The number can differ from the position in the list. To move an entry, use the list. A new entry without a number is added at the end."
          />
        </details>
      )}
      <div class="actions">
        {beginsAsDraft && saveAsDraft}
        {faq?.draft ? (
          <button class="primary" type="submit" name="intent" value="publish">
            Publish
          </button>
        ) : (
          <button class={beginsAsDraft ? undefined : "primary"} type="submit" name="intent" value="save">
            {faq ? "Save" : "Add to the FAQ"}
          </button>
        )}
        {!beginsAsDraft && saveAsDraft}
        <button class="quiet" type="submit" name="intent" value="preview" formnovalidate>
          Preview
        </button>
      </div>
    </form>
  );
};

/** Returns the form's values for a stored entry, or for its draft. */
const currentFaq = ({ question, answer, sortOrder, draft }: DraftedFaq) => ({
  ...{ question: draft?.question ?? question, answer: draft?.answer ?? answer },
  ...(draft ? {} : { sortOrder: String(sortOrder) }),
});

/** Converts the form to an API request. A wrong `sortOrder` stays text, so the API refuses it. */
function faqBody({ sortOrder = "", ...rest }: Values): Record<string, unknown> {
  const position = sortOrder.trim();
  if (position === "") return rest;
  return { ...rest, sortOrder: /^-?\d{1,9}$/.test(position) ? Number(position) : sortOrder };
}

const newFaqPage = definePage({
  at: (links) => links.faqs(":appId", "new"),
  needs: "maintainer",
  show: (visit) => showNewFaq(visit),
});

/** Returns the translations that a draft changes, each next to its published translation. */
const comparedTranslations = ({ translations, draft }: DraftedFaq): ComparedField[] =>
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

/** The field names contain the language, because the browser stores unsent text by field name. */
const namesOf = (tag: string) => ({
  question: `translations.${tag}.question`,
  answer: `translations.${tag}.answer`,
});

const TranslationForm = ({
  form,
  faq,
  tag,
  action,
}: Omit<Translating, "given"> & { readonly form: Filled }) => {
  const names = namesOf(tag);
  const language = attributesOf(tag);
  return (
    <form class="card stack" method="post" action={action} data-guards data-previews>
      <EnterButton intent={faq.draft === null ? "draft" : "save"} />
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      <HiddenFields values={[["lang", tag]]} />
      <OriginalValues current={currentOf(faq, tag)} form={form} />
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

const faqPage = definePage({
  at: (links) => links.faq(":appId", ":faqId"),
  needs: "viewer",
  show: (visit) => showFaq(visit),
});

const draftSaved = { "draft-saved": "The draft is saved. It is not published." } as const;

export const definitions: Definitions = [
  newFaqPage,
  faqPage,
  defineForm({
    at: (links) => links.faqs(":appId", "new"),
    page: newFaqPage,
    act: createFaq,
    done: { "faq-created": "The entry is in the FAQ.", ...draftSaved },
    word: "createFaq",
    notDone: "The entry was not added.",
  }),
  defineForm({
    at: (links) => links.faq(":appId", ":faqId"),
    page: faqPage,
    act: updateFaq,
    done: {
      ...{ ...changed, ...draftSaved, "faq-published": "The entry is published." },
      ...translationSaved,
    },
    ...changesNotSaved,
  }),
  defineForm({
    at: (links) => links.faq(":appId", ":faqId", "translation"),
    page: faqPage,
    act: removeTranslation,
    done: translationDeleted,
    word: "deleteTranslation",
    notDone: "The translation was not deleted.",
  }),
  defineForm({
    at: (links) => links.faq(":appId", ":faqId", "discard"),
    page: faqPage,
    act: discardDraft,
    done: { "text-discarded": "The draft is discarded." },
    word: "discardText",
    notDone: "The draft was not discarded.",
  }),
  defineForm({
    at: (links) => links.faq(":appId", ":faqId", "restore"),
    page: faqPage,
    act: restoreFaq,
    done: draftSaved,
    word: "restoreVersion",
    notDone: "The earlier text was not restored.",
  }),
  defineForm({
    at: (links) => links.faq(":appId", ":faqId", "delete"),
    page: faqPage,
    act: deleteFaq,
    done: { "faq-deleted": "The entry is deleted." },
    word: "deleteFaq",
    notDone: "The entry was not deleted.",
  }),
  defineUploadForm({
    at: (links) => links.faqs(":appId", "new/pictures"),
    page: newFaqPage,
    body: texts.addFaqPictures,
    act: addPictures(showNewFaq),
    done: {},
    ...picturesNotAdded,
  }),
  defineUploadForm({
    at: (links) => links.faq(":appId", ":faqId", "pictures"),
    page: faqPage,
    body: texts.addFaqPictures,
    act: addPictures(showFaq),
    done: {},
    ...picturesNotAdded,
  }),
];

/**
 * Returns the form's values for a translation. If the draft changes the translation, the values come from the draft.
 */
function currentOf({ translations, draft }: DraftedFaq, tag: string): Values {
  const { question, answer } = namesOf(tag);
  const text =
    draft?.translations[tag] ?? (draft?.translations[tag] === null ? undefined : translations[tag]);
  return { [question]: text?.question ?? "", [answer]: text?.answer ?? "" };
}

/** Saves a translation. If the entry has a draft or is not published, the translation is saved in the draft. */
async function saveTranslation(
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

/** Deletes a translation. If the entry has a draft, the published translation stays until the draft is published. */
async function removeTranslation(visit: SignedInVisit): Promise<Reply<DeletionDone>> {
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
  /** The sent form; undefined if the page was only opened. */
  readonly given: Filled | undefined;
}

/** Returns the form for a translation. The preview of the translation and the default text are next to the form. */
async function translationDesk(visit: SignedInVisit, { faq, tag, action, given }: Translating) {
  const form = filledOver(given, currentOf(faq, tag));
  const names = namesOf(tag);
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
            <TranslationForm {...{ form, faq, tag, action }} />
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
