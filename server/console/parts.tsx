import type { ComponentChildren } from "preact";
import type { ApiError } from "../../src/contract/errors.ts";
import { doneNotices } from "./done-notices.ts";

export interface NoticeProps {
  readonly kind?: "alert" | "attention";
  /** The word for what a form did. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** A note to the reader. The result of a form has the focus when the page opens, so that it is seen and read aloud. */
export const Notice = ({ kind, done, children }: NoticeProps) => (
  <div
    class={kind ? `notice ${kind}` : "notice"}
    role={kind ? "alert" : "status"}
    data-done={done}
    {...(kind === "alert" || done !== undefined ? focused : {})}
  >
    {children}
  </div>
);

const focused = { autofocus: true, tabIndex: -1 };

/** The result of the last form. Unknown words are not shown, because anybody can write the address. */
export const DoneNotice = ({ done }: { readonly done: string }) => {
  const note = doneNotices.get(done);
  return note === undefined ? null : <Notice done={done}>{note}</Notice>;
};

/** Why a sign-in was refused. */
export const SignInRefused = ({ refusal }: { readonly refusal: ApiError | undefined }) => {
  if (!refusal) return null;
  const { issues = [], retryAfterSeconds } = refusal.details;
  return (
    <Notice kind="alert">
      <b>You are not signed in.</b>{" "}
      {issues.length > 0 ? "Please correct what is marked below." : refusal.message}
      {retryAfterSeconds !== undefined && ` Try again in ${retryAfterSeconds} s.`}
    </Notice>
  );
};

/** Why a form was refused. Faults of fields are shown at the fields, every other reason here. */
export const Refused = ({ refusal }: { readonly refusal: ApiError | undefined }) => {
  if (!refusal) return null;
  const { issues = [], retryAfterSeconds } = refusal.details;
  if (issues.length > 0) {
    return (
      <Notice kind="alert">
        <b>Nothing was saved.</b> Please correct what is marked below.
      </Notice>
    );
  }
  return (
    <Notice kind="alert">
      <b>Nothing was saved.</b> {refusal.message}
      {retryAfterSeconds !== undefined && ` Try again in ${retryAfterSeconds} s.`}
    </Notice>
  );
};
