import { isMutation } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Ask } from "../../console/ask.ts";
import { unlessSignedOut } from "../../console/browser-request.ts";
import type { Form } from "../../console/definitions.ts";
import type { PageDrafts } from "../../console/drafts/api.ts";
import { isOfAnother } from "../../console/drafts/routes.ts";
import type { Fields } from "../../console/forms.tsx";
import type { NotDone, Notices } from "../../console/notices.ts";
import type { Reply } from "../../console/respond.ts";
import type { SignedInVisit } from "../../console/visit.ts";

/** A form that was sent after the console session had ended. The server has not processed it. */
export interface PendingForm {
  /** The message which says that nothing was done. */
  readonly form: NotDone;
  readonly action: string;
  readonly page: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

const valuePrefix = "kept:";
const actionName = "kept-action";
const wordName = "kept-act";
const pageName = "kept-page";

/** Whether a page may show the value of a field again. A page must not show secrets again. */
const mayBeShown = (name: string): boolean => !/password|secret|webhook|^(code|passkey)$/i.test(name);

/** Creates a pending form from the sent fields. */
export const pendingFormOf = (fields: Fields, sent: Omit<PendingForm, "values">): PendingForm => ({
  ...sent,
  values: fields.entries().filter(([name]) => mayBeShown(name)),
});

/** Reads the pending form in the fields of a sign-in form; undefined if there is none. */
export function pendingFormIn(fields: Fields, { notDone }: Notices): PendingForm | undefined {
  const action = fields.text(actionName);
  const form = notDone.get(fields.text(wordName));
  if (action === "" || form === undefined) return undefined;
  const values = fields
    .entries()
    .flatMap(([name, value]) =>
      name.startsWith(valuePrefix) ? [[name.slice(valuePrefix.length), value] as const] : [],
    );
  return { form, action, page: fields.text(pageName), values };
}

/** Returns the hidden fields that keep a pending form in the sign-in form. */
export const pendingFormFields = ({ form, action, page, values }: PendingForm): PendingForm["values"] => [
  [wordName, form.word],
  [actionName, action],
  [pageName, page],
  ...values.map(([name, value]) => [valuePrefix + name, value] as const),
];

/** Returns the hidden fields of a form that shows a pending form again. */
export const fieldsToShowAgain = ({ page, values }: PendingForm): PendingForm["values"] => [
  ...values,
  [onlyShown, page],
];

const onlyShown = "kept-from";

/**
 * If a form was sent only to show a pending form again, returns the page of that form. Otherwise returns undefined.
 */
export const pageOfPending = (fields: Fields): string | undefined =>
  fields.has(onlyShown) ? fields.text(onlyShown) : undefined;

/**
 * Shows a pending form again, like a refused form, and changes nothing. Returns undefined if the page of the form
 * cannot show it again, or if the person who signed in is not the author of the form.
 */
export const showAgain = async (visit: SignedInVisit, form: Form): Promise<Reply<string> | undefined> =>
  isOfAnother(visit.fields, visit.caller.email)
    ? undefined
    : unlessSignedOut(() =>
        form.act({ ...visit, ask: readOnlyAsk(visit.ask, form), drafts: readOnlyDrafts(visit.drafts) }),
      );

/** Creates an `ask` that can only read. It throws `sign_in_required` for a request that would change something. */
const readOnlyAsk =
  (ask: Ask, { notDone }: NotDone): Ask =>
  (endpoint, asked) => {
    if (!isMutation(endpoint)) return ask(endpoint, asked);
    throw new ApiError("sign_in_required", { message: `${sessionEnded} ${notDone} ${keptHere}` });
  };

/** Returns the functions for drafts. Instead of removing a draft, they throw `sign_in_required`. */
const readOnlyDrafts = (drafts: PageDrafts): PageDrafts => ({
  ...drafts,
  remove: async () => {
    throw new ApiError("sign_in_required");
  },
});

const sessionEnded = "Your session had ended when you sent this.";
const keptHere = "Your text is still here. Send it again.";
