import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import encodeQR from "qr";
import type { Role } from "../../src/contract/endpoint.ts";
import type { ApiError } from "../../src/contract/errors.ts";
import { suffices } from "../access/members/rules.ts";
import type { Notices } from "./notices.ts";

/** A note to the reader. The result of a form has the focus when the page opens, so that it is seen and read aloud. */
export const Notice = ({
  kind,
  done,
  children,
}: {
  readonly kind?: "alert" | "attention";
  /** The word for what a form did. */
  readonly done?: string;
  readonly children: ComponentChildren;
}) => (
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
export const DoneNotice = ({
  done,
  notices,
}: {
  /** The word in the address. */
  readonly done: string;
  readonly notices: Notices;
}) => {
  const note = notices.done.get(done);
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

/** What the person is in the app of the page. Pages outside an app are about the person's own things. */
export const RoleHere = createContext<Role>("owner");

/** A part of a page that only people see who can use it: a form, or the way to one. */
export const Can = ({
  needs,
  otherwise = null,
  children,
}: {
  /** The least role for which this part of the page is of use. */
  readonly needs: Role;
  /** What all others see instead. */
  readonly otherwise?: ComponentChildren;
  readonly children: ComponentChildren;
}) => <>{suffices(useContext(RoleHere), needs) ? children : otherwise}</>;

/** Stands in place of an empty list: says what belongs there and how to get it. */
export const Empty = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <section class="empty">
    <svg viewBox="0 0 44 44" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
      <path d="M9 30a13 13 0 0 1 26 0z" stroke-linejoin="round" />
      <path d="M6 35h32M22 17v-4M18 12h8" stroke-linecap="round" />
    </svg>
    <h2>{title}</h2>
    {children}
  </section>
);

export const Pager = ({
  first,
  next,
  firstWords = "Back to the newest",
  nextWords = "Older",
}: {
  /** The address of the first page; undefined on the first page itself. */
  readonly first: string | undefined;
  readonly next: string | undefined;
  readonly firstWords?: string;
  readonly nextWords?: string;
}) =>
  first === undefined && next === undefined ? null : (
    <nav class="pager" aria-label="Pages">
      {first === undefined ? (
        <span />
      ) : (
        <a class="button" href={first}>
          {firstWords}
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={next} rel="next">
          {nextWords}
        </a>
      )}
    </nav>
  );

/** Attributes of an element that scrolls. With the focus, it is scrolled by the arrow keys. */
export const scrolledByKeys = { tabIndex: 0 };

/** A key or token. It is shown only this once. */
export const Secret = ({ label, secret }: { readonly label: string; readonly secret: string }) => (
  <div class="field">
    <label for="secret">{label}</label>
    <div class="secret">
      <input id="secret" type="text" value={secret} readOnly autocomplete="off" spellcheck={false} />
      <button type="button" data-copies="secret" hidden>
        Copy
      </button>
    </div>
    <p class="hint">
      Copy it now and keep it in a safe place. You cannot see it again: if you lose it, make a new one.
    </p>
  </div>
);

/** A text as a QR code. It is black on white in every colour scheme, or cameras would not read it. */
export const QrCode = ({
  text,
  label,
}: {
  readonly text: string;
  /** What the picture is, for people who do not see it. */
  readonly label: string;
}) => {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const size = rows.length;
  const squares = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width="232" height="232" role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
};
