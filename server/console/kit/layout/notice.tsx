import type { ComponentChildren } from "preact";
import type { ApiError } from "../../../../src/contract/errors.ts";
import { doneNotices } from "./done-notices.ts";

export interface NoticeProps {
  readonly kind?: "alert" | "attention";
  /** The word for what was done. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** A note to the reader. What a form did or did not do has the focus when the page opens: it is seen and read out, without scripts too. */
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

/** What the last form did. Only what the console itself can have said is shown. */
export const DoneNotice = ({ done }: { readonly done: string }) => {
  const note = doneNotices.get(done);
  return note === undefined ? null : <Notice done={done}>{note}</Notice>;
};

/** Why somebody was not signed in. */
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

/** Why a form was refused: its faults stand at their fields, anything else is told here. */
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
