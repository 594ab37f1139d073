import { isMutation } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Ask } from "../ask.ts";
import type { Fields } from "../kit/form/read-form.ts";

/** A form that was sent without a console session: its action, its page and its values. Nothing was done with it. */
export interface PendingForm {
  readonly action: string;
  readonly page: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

const prefix = "kept:";
const mark = "kept-action";
const pageName = "kept-page";

/** Whether a page may show this field's value again. Secrets are not shown. */
export const mayBeShown = (name: string): boolean => !/password|secret|^(code|passkey)$/i.test(name);

/** Keeps a form that was sent without a console session. */
export const pendingFormOf = (fields: Fields, action: string, page: string): PendingForm => ({
  action,
  page,
  values: fields.entries().filter(([name]) => mayBeShown(name)),
});

/** The kept form in the fields of a sign-in; undefined when there is none. */
export function carriedForm(fields: Fields): PendingForm | undefined {
  const action = fields.text(mark);
  if (action === "") return undefined;
  const values = fields
    .entries()
    .flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    );
  return { action, page: fields.text(pageName), values };
}

/** The hidden fields that carry a kept form through the sign-in. */
export const carrying = ({ action, page, values }: PendingForm): PendingForm["values"] => [
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

/** An `ask` that reads only. A mutation throws `sign_in_required`, so that a kept form is shown again as refused. */
export const readOnlyAsk =
  (ask: Ask): Ask =>
  (endpoint, asked) => {
    if (!isMutation(endpoint)) return ask(endpoint, asked);
    throw new ApiError("sign_in_required", { message: notDone });
  };

const notDone =
  "Your session had ended when you sent this, so it was not done. What you wrote is kept here: send it again.";
