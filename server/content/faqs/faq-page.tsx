import type { ComponentChildren } from "preact";
import { consoleFaqs } from "../../../src/contract/console-faqs.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { ListedFaq } from "../../../src/contract/faqs.ts";
import { Can } from "../../console/can.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, TextArea, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import { OriginalValues } from "../../console/original-values.tsx";
import { Refused } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/reply.ts";
import { Line, UserText } from "../../console/text.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { currentFaq } from "./faq-values.ts";

export const newFaqPage = (visit: SignedInVisit): Promise<Reply> => showNewFaq(visit);
export const faqPage = (visit: SignedInVisit): Promise<Reply> => showFaq(visit);

export async function showNewFaq(visit: SignedInVisit, form: Filled = filledWith()): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs", "maintainer");
  const action = navigation.links.faqs(navigation.app.id, "new");
  return show(
    <FaqPage navigation={navigation} title="New entry">
      <FaqForm form={form} action={action} />
    </FaqPage>,
    form.refusal?.status,
  );
}

export async function showFaq(visit: SignedInVisit, form?: Filled): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs");
  const faq = await readFaq(visit);
  const address = navigation.links.faq(navigation.app.id, faq.id);
  return show(
    <FaqPage navigation={navigation} title={navigation.app.role === "viewer" ? "Entry" : "Edit entry"}>
      <Can needs="maintainer" otherwise={<FaqText faq={faq} />}>
        <FaqForm form={form ?? filledWith(currentFaq(faq))} action={address} faq={faq} />
        <DeleteFaq action={`${address}/delete`} />
      </Can>
    </FaqPage>,
    form?.refusal?.status,
  );
}

/** The entry that the path names, if it belongs to the app in the path. Throws `not_found`. */
export async function readFaq({ ask, param }: SignedInVisit): Promise<ListedFaq> {
  const faqs = await ask(consoleFaqs.list, { params: { appId: param("appId") } });
  const faq = faqs.find(({ id }) => id === param("faqId").toLowerCase());
  if (!faq) throw new ApiError("not_found");
  return faq;
}

interface FaqPageProps {
  readonly navigation: AppNavigation;
  readonly title: string;
  readonly children: ComponentChildren;
}

const FaqPage = ({ navigation, title, children }: FaqPageProps) => (
  <ConsolePage navigation={navigation} title={title} narrow>
    <a class="back" href={navigation.links.faqs(navigation.app.id)}>
      <span aria-hidden="true">←</span> FAQ
    </a>
    <div class="head">
      <h1>{title}</h1>
    </div>
    <div class="stack wide">{children}</div>
  </ConsolePage>
);

const FaqText = ({ faq: { question, answer } }: { readonly faq: ListedFaq }) => (
  <article class="card stack">
    <h2>
      <Line text={question} />
    </h2>
    <UserText text={answer} />
  </article>
);

interface FaqFormProps {
  readonly form: Filled;
  readonly action: string;
  /** The entry that is changed; undefined for a new one. */
  readonly faq?: ListedFaq;
}

const FaqForm = ({ form, action, faq }: FaqFormProps) => (
  <form class="card stack" method="post" action={action} data-guards>
    <Refused refusal={form.refusal} />
    <IdempotencyField />
    {faq && <OriginalValues current={currentFaq(faq)} />}
    <TextField form={form} name="question" label="Question" required />
    <TextArea form={form} name="answer" label="Answer" size="tall" required />
    <TextField
      form={form}
      name="sortOrder"
      label="Position"
      inputMode="numeric"
      hint="A whole number. The entry with the smallest number comes first. Without a number, a new entry comes last."
    />
    <div class="actions">
      <button class="primary" type="submit">
        {faq ? "Save" : "Add to the FAQ"}
      </button>
    </div>
  </form>
);

const DeleteFaq = ({ action }: { readonly action: string }) => (
  <details class="reveal danger">
    <summary>Delete this entry</summary>
    <form class="stack" method="post" action={action}>
      <p>It disappears from your app at once. You cannot restore it.</p>
      <IdempotencyField />
      <div class="actions">
        <button class="danger" type="submit">
          Delete permanently
        </button>
      </div>
    </form>
  </details>
);
