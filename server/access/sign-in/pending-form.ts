import { isMutation } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Ask } from "../../console/ask.ts";
import { unlessSignedOut } from "../../console/browser-request.ts";
import type { Form } from "../../console/definitions.ts";
import type { PageDrafts } from "../../console/drafts/api.ts";
import { isOfAnother } from "../../console/drafts/routes.ts";
import type { Fields } from "../../console/form-values.tsx";
import type { NotDone, Notices } from "../../console/notices.ts";
import type { Reply } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";

/** A form that was sent without a console session: what it says, its action, its page and its values. Nothing was done with it. */
export interface PendingForm {
  readonly form: NotDone;
  readonly action: string;
  readonly page: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

const prefix = "kept:";
const mark = "kept-action";
const wordName = "kept-act";
const pageName = "kept-page";

/** Whether a page may show this field's value again. Secrets are not shown. */
const mayBeShown = (name: string): boolean => !/password|secret|webhook|^(code|passkey)$/i.test(name);

/** Keeps a form that was sent without a console session. */
export const pendingFormOf = (fields: Fields, sent: Omit<PendingForm, "values">): PendingForm => ({
  ...sent,
  values: fields.entries().filter(([name]) => mayBeShown(name)),
});

/** The kept form in the fields of a sign-in; undefined when there is none. */
export function carriedForm(fields: Fields, { notDone }: Notices): PendingForm | undefined {
  const action = fields.text(mark);
  const form = notDone.get(fields.text(wordName));
  if (action === "" || form === undefined) return undefined;
  const values = fields
    .entries()
    .flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    );
  return { form, action, page: fields.text(pageName), values };
}

/** The hidden fields that carry a kept form through the sign-in. */
export const carrying = ({ form, action, page, values }: PendingForm): PendingForm["values"] => [
  [wordName, form.word],
  [mark, action],
  [pageName, page],
  ...values.map(([name, value]) => [prefix + name, value] as const),
];

/** The hidden fields of a kept form that is sent again only to be shown. */
export const showingAgain = ({ page, values }: PendingForm): PendingForm["values"] => [
  ...values,
  [onlyShown, page],
];

const onlyShown = "kept-from";

/** The page of a kept form that is only to be shown again; undefined for every other form. */
export const pageOfPending = (fields: Fields): string | undefined =>
  fields.has(onlyShown) ? fields.text(onlyShown) : undefined;

/**
 * Shows a kept form again, as one that was refused. It changes nothing. Undefined if its page has nothing to show again, or
 * if another person has signed in than the one who typed.
 */
export const showAgain = async (visit: SignedInVisit, form: Form): Promise<Reply<string> | undefined> =>
  isOfAnother(visit.fields, visit.caller.email)
    ? undefined
    : unlessSignedOut(() =>
        form.act({ ...visit, ask: readOnlyAsk(visit.ask, form), drafts: readOnlyDrafts(visit.drafts) }),
      );

/** An `ask` that reads only. A mutation throws `sign_in_required`. */
const readOnlyAsk =
  (ask: Ask, { notDone }: NotDone): Ask =>
  (endpoint, asked) => {
    if (!isMutation(endpoint)) return ask(endpoint, asked);
    throw new ApiError("sign_in_required", { message: `${sessionEnded} ${notDone} ${keptHere}` });
  };

/** The same for drafts: nothing of them can be removed. */
const readOnlyDrafts = (drafts: PageDrafts): PageDrafts => ({
  ...drafts,
  remove: async () => {
    throw new ApiError("sign_in_required");
  },
});

const sessionEnded = "Your session had ended when you sent this.";
const keptHere = "What you wrote is kept here: send it again.";
