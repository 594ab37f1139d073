import { isMutation } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Ask } from "../ask.ts";
import type { Fields } from "../kit/form/read-form.ts";

/** A form that was sent without a session: where to, from which page, and what it held. Nothing of it was done. */
export interface PendingForm {
  readonly action: string;
  readonly page: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

const prefix = "kept:";
const mark = "kept-action";
const pageName = "kept-page";

/** What of a form may stand in a page again: no secrets. */
export const mayBeShown = (name: string): boolean => !/password|secret/i.test(name);

/** What a form held that was sent without a session. */
export const pendingFormOf = (fields: Fields, action: string, page: string): PendingForm => ({
  action,
  page,
  values: fields.entries().filter(([name]) => mayBeShown(name)),
});

/** The kept form that a sign-in carries along; undefined where it carries none. */
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

/** The hidden fields with which a sign-in carries a kept form along. */
export const carrying = ({ action, page, values }: PendingForm): PendingForm["values"] => [
  [mark, action],
  [pageName, page],
  ...values.map(([name, value]) => [prefix + name, value] as const),
];

/** The hidden fields with which a kept form is sent again, only to be shown. */
export const showingAgain = ({ page, values }: PendingForm): PendingForm["values"] => [
  ...values,
  [onlyShown, page],
];

const onlyShown = "kept-from";

/** The page from which a kept form comes that is only to be shown again; undefined for every other form. */
export const pageOfPending = (fields: Fields): string | undefined =>
  fields.has(onlyShown) ? fields.text(onlyShown) : undefined;

/** Asks for nothing that changes something: a form that was kept is shown again as one that was refused. */
export const askingOnly =
  (ask: Ask): Ask =>
  (endpoint, asked) => {
    if (!isMutation(endpoint)) return ask(endpoint, asked);
    throw new ApiError("sign_in_required", { message: notDone });
  };

const notDone =
  "Your session had ended when you sent this, so it was not done. What you wrote is kept here: send it again.";
