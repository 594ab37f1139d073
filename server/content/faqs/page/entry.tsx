import type { ComponentChildren } from "preact";
import { ApiError } from "../../../../src/contract/errors.ts";
import { consoleFaqs, type Faq, type ListedFaq } from "../../../../src/contract/faqs.ts";
import { texts } from "../../../../src/contract/texts.ts";
import { type Definitions, defineForm, definePage, defineUploadForm } from "../../../console/definitions.ts";
import {
  Confirmation,
  changedValues,
  type Filled,
  filledAgain,
  filledWith,
  filledWithSent,
  givenFor,
  IdempotencyField,
  OriginalVersions,
  originalVersions,
  sentVersions,
  TextField,
  type Values,
} from "../../../console/forms.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../../console/navigation.ts";
import { changed, changesNotSaved } from "../../../console/notices.ts";
import { Can, Line, Refused } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.ts";
import type { SignedInVisit, UploadVisit } from "../../../console/visit.ts";
import { Desk, MarkdownField, Preview, picturesNotAdded, Rendered, withPictures } from "../../texts/desk.tsx";
import { htmlOf } from "../../texts/html.ts";

function createFaq(visit: SignedInVisit): Promise<Reply<"faq-created">> {
  const { ask, fields, links, param } = visit;
  if (fields.text("intent") === "preview") return showTyped(visit, showNewFaq);
  return reshowForm(
    async () => {
      const given = { question: fields.text("question"), answer: fields.text("answer") };
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

function updateFaq(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  if (fields.text("intent") === "preview") return showTyped(visit, showFaq);
  return reshowForm(
    async () => {
      const current = currentFaq(await readFaq(visit));
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

type ShowForm = (visit: SignedInVisit, form: Filled) => Promise<Reply>;

/** Shows the form again with its typed text and the preview. Nothing is saved. */
const showTyped = async (visit: SignedInVisit, showForm: ShowForm): Promise<Reply> => ({
  ...(await showForm(visit, filledWithSent(visit.fields))),
  sentFields: [],
});

/** Stores pictures and shows the form again, with the pictures in the answer. */
const addPictures =
  (showForm: ShowForm) =>
  async (visit: UploadVisit): Promise<Reply> => ({
    ...(await reshowForm(
      async () => showForm(visit, filledWithSent(await withPictures(visit, texts.addFaqPictures, "answer"))),
      (refusal) => showForm(visit, filledAgain(visit.fields, refusal)),
    )),
    sentFields: [],
  });

async function deleteFaq({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"faq-deleted">> {
  await ask(consoleFaqs.remove, { params: { faqId: param("faqId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.faqs(param("appId")), "faq-deleted");
}

async function showNewFaq(visit: SignedInVisit, form: Filled = filledWith()): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs");
  const action = navigation.links.faqs(navigation.app.id, "new");
  return show(
    <FaqPage navigation={navigation} title="New entry">
      <Desk form={<FaqForm form={form} action={action} />} preview={await previewOf(visit, form)} />
    </FaqPage>,
    form.refusal?.status,
  );
}

async function showFaq(visit: SignedInVisit, given?: Filled): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs");
  const faq = await readFaq(visit);
  const form = given ?? filledWith(currentFaq(faq));
  const address = navigation.links.faq(navigation.app.id, faq.id);
  const isPreview = given !== undefined && given.refusal === undefined;
  const versions = isPreview
    ? sentVersions(visit.fields, currentFaq(faq))
    : originalVersions(currentFaq(faq));
  return show(
    <FaqPage navigation={navigation} title={navigation.app.role === "viewer" ? "Entry" : "Edit entry"}>
      <Can needs="maintainer" otherwise={await previewOf(visit, form, "Text")}>
        <Desk
          form={
            <div class="stack">
              <FaqForm form={form} action={address} versions={versions} />
              <Confirmation
                offer="Delete this entry"
                action={`${address}/delete`}
                button="Delete permanently"
                danger
                large
              >
                The entry disappears from your app at once. You cannot restore it.
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

/** Returns the entry in the path, if it belongs to the app in the path. Throws `not_found` otherwise. */
async function readFaq({ ask, param }: SignedInVisit): Promise<ListedFaq> {
  const faqs = await ask(consoleFaqs.list, { params: { appId: param("appId") } });
  const faq = faqs.find(({ id }) => id === param("faqId").toLowerCase());
  if (!faq) throw new ApiError("not_found");
  return faq;
}

const FaqPage = ({
  navigation,
  title,
  children,
}: {
  readonly navigation: AppNavigation;
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <ConsolePage navigation={navigation} title={title}>
    <a class="back" href={navigation.links.faqs(navigation.app.id)}>
      <span aria-hidden="true">←</span> FAQ
    </a>
    <div class="head">
      <h1>{title}</h1>
    </div>
    {children}
  </ConsolePage>
);

const FaqForm = ({
  form,
  action,
  versions,
}: {
  readonly form: Filled;
  readonly action: string;
  /** The versions of the stored values; undefined for a new entry. */
  readonly versions?: Values;
}) => (
  <form class="card stack" method="post" action={action} data-guards data-previews>
    <Refused refusal={form.refusal} />
    <IdempotencyField />
    {versions && <OriginalVersions versions={versions} />}
    <TextField form={form} name="question" label="Question" required />
    <MarkdownField form={form} name="answer" label="Answer" required pictures={`${action}/pictures`} />
    <TextField
      form={form}
      name="sortOrder"
      label="Position"
      inputMode="numeric"
      hint="A whole number. The entry with the smallest number comes first. Without a number, a new entry comes last."
    />
    <div class="actions">
      <button class="primary" type="submit">
        {versions ? "Save" : "Add to the FAQ"}
      </button>
      <button class="quiet" type="submit" name="intent" value="preview" formnovalidate>
        Preview
      </button>
    </div>
  </form>
);

/** Returns the form fields of a stored entry. */
const currentFaq = ({ question, answer, sortOrder }: Faq) => ({
  question,
  answer,
  sortOrder: String(sortOrder),
});

/**
 * Returns the request body for the form's fields. It has no position if that field is empty. A position that is not a
 * number stays a text, so that the API refuses it with a reason.
 */
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

const faqPage = definePage({
  at: (links) => links.faq(":appId", ":faqId"),
  needs: "viewer",
  show: (visit) => showFaq(visit),
});

export const definitions: Definitions = [
  newFaqPage,
  faqPage,
  defineForm({
    at: (links) => links.faqs(":appId", "new"),
    page: newFaqPage,
    act: createFaq,
    done: { "faq-created": "The entry is in the FAQ." },
    word: "createFaq",
    notDone: "The entry was not added.",
  }),
  defineForm({
    at: (links) => links.faq(":appId", ":faqId"),
    page: faqPage,
    act: updateFaq,
    done: changed,
    ...changesNotSaved,
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
