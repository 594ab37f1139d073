import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import encodeQR from "qr";
import type { Role } from "../../src/contract/endpoint.ts";
import { suffices } from "../../src/contract/endpoint.ts";
import type { ApiError } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { piecesOf, safeAddress, visibleLine, withMarks } from "../../src/words/visible.ts";
import type { Notices } from "./notices.ts";

/** A message on a page. A message about a form gets the focus, so that screen readers read it. */
export const Notice = ({
  kind,
  done,
  unfocused = false,
  children,
}: {
  readonly kind?: "alert" | "attention";
  /** The word that identifies the result of a form. Only set if the message is about a form. */
  readonly done?: string;
  /** Whether another element gets the focus, such as the field with the fault. */
  readonly unfocused?: boolean;
  readonly children: ComponentChildren;
}) => (
  <div
    class={kind ? `notice ${kind}` : "notice"}
    role={kind ? "alert" : "status"}
    data-done={done}
    {...(!unfocused && (kind === "alert" || done !== undefined) ? focused : {})}
  >
    {children}
  </div>
);

const focused = { autofocus: true, tabIndex: -1 };

/**
 * The notice about the last form. Shows nothing for an unknown `done`, because anybody can change the page's
 * address.
 */
export const DoneNotice = ({
  done,
  notices,
}: {
  /** The word that identifies the result of a form. It comes from the address of the page. */
  readonly done: string;
  readonly notices: Notices;
}) => {
  const note = notices.done.get(done);
  return note === undefined ? null : <Notice done={done}>{note}</Notice>;
};

/** The reason why a sign-in was refused. */
export const SignInRefused = ({ refusal }: { readonly refusal: ApiError | undefined }) => {
  if (!refusal) return null;
  const { issues = [], retryAfterSeconds } = refusal.details;
  return (
    <Notice kind="alert">
      <b>You are not signed in.</b>{" "}
      {issues.length > 0 ? "Please correct the marked fields below." : refusal.message}
      {retryAfterSeconds !== undefined && ` Try again in ${retryAfterSeconds} s.`}
    </Notice>
  );
};

/** The reason why a form was refused. The form itself shows the errors of its fields. */
export const Refused = ({ refusal }: { readonly refusal: ApiError | undefined }) => {
  if (!refusal) return null;
  const { issues = [], retryAfterSeconds } = refusal.details;
  if (issues.length > 0) {
    return (
      <Notice kind="alert">
        <b>Nothing was saved.</b> Please correct the marked fields below.
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

/**
 * Returns why a request was refused, for pages without the faulty field. `labelOf` returns the label of a
 * field.
 */
export function refusalInWords(
  { details, message }: ApiError,
  labelOf: (field: string) => string | undefined = () => undefined,
): string {
  const [first] = details.issues ?? [];
  if (first === undefined || details.message !== undefined) return message;
  if (!/^[a-z]/.test(first.message)) return first.message;
  const label = first.path
    .split(".")
    .map(labelOf)
    .findLast((one) => one !== undefined);
  return `${label === undefined ? "A value of the form" : `“${label}”`} ${first.message}.`;
}

/** The person's role in the app of the page. On a page without an app it is `owner`. */
export const RoleHere = createContext<Role>("owner");

/** A part of a page, such as a form, that only people with a sufficient role see. */
export const Can = ({
  needs,
  otherwise = null,
  children,
}: {
  /** The lowest role that is sufficient for this part. */
  readonly needs: Role;
  /** The text that people with a lower role see in place of this part. */
  readonly otherwise?: ComponentChildren;
  readonly children: ComponentChildren;
}) => <>{suffices(useContext(RoleHere), needs) ? children : otherwise}</>;

/** The message that a search is not possible. `fault` is the reason. Without a fault, shows nothing. */
export const NothingSearched = ({ fault }: { readonly fault: string | undefined }) =>
  fault === undefined ? null : (
    <Notice kind="alert">
      <b>Nothing was searched.</b> {fault}
    </Notice>
  );

/** The text in place of an empty list: what the list is for, and how to add the first entry. */
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
  previous,
  next,
  firstWords = "Back to the newest",
  nextWords = "Older",
}: {
  /** The address of the first page; undefined on the first page. */
  readonly first: string | undefined;
  /** The address of the previous page; undefined if the list has no such link. */
  readonly previous?: string | undefined;
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
      {previous !== undefined && (
        <a class="button" href={previous} rel="prev">
          Previous page
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={next} rel="next">
          {nextWords}
        </a>
      )}
    </nav>
  );

/** The attributes of an element that scrolls. The element can get the focus, and then the arrow keys scroll it. */
export const scrolledByKeys = { tabIndex: 0 };

/**
 * The attributes of a button, a link or a field with a shortcut key. `browser/keys.js` reads them. (rule O32)
 */
export const keyed = (
  /** The key: `e`, `R` with Shift, or `g i` for two keys. */
  key: string,
  /** The effect of the key, for the list of keys. The default is the text of the element. */
  words?: string,
  /** The title of the group in which the list of keys shows this key. */
  group?: string,
) => ({
  "data-key": key,
  "data-key-words": words,
  "data-key-group": group,
  "aria-keyshortcuts": /^[A-Z]$/.test(key) ? `Shift+${key}` : key,
});

/** The shortcut key that is shown on a button. Screen readers get the key from `aria-keyshortcuts`. */
export const Keycap = ({ children }: { readonly children: string }) => (
  <span class="key" aria-hidden="true">
    {children}
  </span>
);

/** A new key or token, which is shown only once. */
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
      Copy it now and keep it in a safe place. You cannot see it again. If you lose it, create a new one.
    </p>
  </div>
);

/** A text as a QR code. The code is always black on white, so that cameras can read it. */
export const QrCode = ({
  text,
  label,
}: {
  readonly text: string;
  /** The description for screen readers. */
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

/** A text exactly as a person typed it. Hidden characters are shown as their codes. */
export const UserText = ({
  text,
  exact = false,
}: {
  readonly text: string;
  /** Whether the font has a fixed width. Plans of proposals use this. */
  readonly exact?: boolean;
}) => <div class={exact ? "written exact" : "written"}>{marked(text)}</div>;

/** The same as `UserText`, but inside a line of text. */
export const Line = ({ text }: { readonly text: string }) => <bdi>{marked(text)}</bdi>;

/** A line of text in which the parts that a search found are marked. */
export const MarkedLine = ({
  text,
  marks,
}: {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly end: number }[];
}) => (
  <bdi>
    {marks.map(({ start, end }, at) => (
      <>
        {marked(text.slice(marks[at - 1]?.end ?? 0, start))}
        <mark>{marked(text.slice(start, end))}</mark>
      </>
    ))}
    {marked(text.slice(marks.at(-1)?.end ?? 0))}
  </bdi>
);

/**
 * Shows how many characters of these texts are invisible or change the text direction. Shows nothing if there
 * are none.
 */
export const HiddenCount = ({ texts }: { readonly texts: readonly string[] }) => {
  const count = texts.flatMap(piecesOf).filter(({ kind }) => kind === "hidden").length;
  if (count === 0) return null;
  return (
    <p class="notice attention">
      {count === 1
        ? "One character here is invisible or changes"
        : `${count} characters here are invisible or change`}{" "}
      the direction of the text. Such a character is shown as a mark, for example{" "}
      <Mark code="U+202E" name="an example" />.
    </p>
  );
};

const marked = (text: string) =>
  withMarks(text).map((part) =>
    typeof part === "string" ? part : <Mark key={part.at} code={part.code} name={part.name} />,
  );

const Mark = ({ code, name }: { readonly code: string; readonly name: string }) => (
  <span class="hidden-mark" title={name}>
    {code}
  </span>
);

/** Returns a number as text, or `99+` above the limit to which the server counts. (rule F54) */
export const shownCount = (count: number): string =>
  count > limits.mostCounted ? `${limits.mostCounted}+` : String(count);

/** Returns a number with its noun: `1 answer`, `2 answers`, `99+ answers`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${shownCount(count)} ${count === 1 ? one : many}`;

/** A link to another site, which does not get this page's address. Shows an unsafe address as plain text. */
export const ExternalLink = ({
  to,
  children = to,
}: {
  readonly to: string;
  readonly children?: ComponentChildren;
}) => {
  const address = safeAddress(to);
  if (address === undefined) return <>{children}</>;
  return (
    <a href={address} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
};

/** The name of a person who is a member of an app together with the reader of the page. */
export interface NamedPerson {
  readonly name: string;
  /**
   * Whether another person whom the reader sees has the same name. If so, the address is shown after the name.
   */
  readonly isShared: boolean;
}

/**
 * The people who have a name and share an app with the reader. The keys are their e-mail addresses. (rule K33)
 */
export type People = ReadonlyMap<string, NamedPerson>;

/** The context with the people whose names the page may show. */
export const PeopleHere = createContext<People>(new Map());

/** Returns the people by e-mail address. Names that differ only in case, spaces or Unicode form are equal. */
export function peopleOf(rows: readonly { readonly email: string; readonly name: string }[]): People {
  const counts = new Map<string, number>();
  for (const { name } of rows) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  return new Map(
    rows.map(({ email, name }) => [email, { name, isShared: (counts.get(keyOf(name)) ?? 0) > 1 }]),
  );
}

const keyOf = (name: string): string => name.normalize("NFKC").replace(/\s+/gu, " ").toLowerCase();

/** Returns the name of a person, or else the address. Adds the address to a name that several people have. */
export function wordsFor(people: People, email: string): string {
  const known = people.get(email);
  if (known === undefined) return visibleLine(email);
  const name = visibleLine(known.name);
  return known.isShared ? `${name} (${visibleLine(email)})` : name;
}

/** Returns a function that does the same as `wordsFor` for the people of the page. */
export function usePersonWords(): (email: string) => string {
  const people = useContext(PeopleHere);
  return (email) => wordsFor(people, email);
}

/** Shows the name of a person, with the address as a tooltip. Without a known name, shows the address. */
export const Person = ({ email }: { readonly email: string }) => {
  const known = useContext(PeopleHere).get(email);
  if (known === undefined) return <Line text={email} />;
  return (
    <span title={visibleLine(email)}>
      <Line text={known.name} />
      {known.isShared && (
        <>
          {" ("}
          <Line text={email} />)
        </>
      )}
    </span>
  );
};

/**
 * A person's initials in a coloured circle. With `before`, screen readers read the name or the address instead
 * of the initials.
 */
export const Avatar = ({
  userId,
  email,
  before = "",
}: {
  readonly userId: string;
  readonly email: string;
  /** Screen readers read this text before the name. If the text is empty, screen readers read nothing. */
  readonly before?: string;
}) => {
  const people = useContext(PeopleHere);
  return (
    <span
      class={`avatar hue-${hueOf(userId)}`}
      title={before === "" ? undefined : titleFor(people, email)}
      aria-hidden={before === "" ? "true" : undefined}
    >
      <span aria-hidden="true">{initialsOf(people.get(email)?.name, email)}</span>
      {before !== "" && (
        <span class="unseen">
          {before} <Person email={email} />
        </span>
      )}
    </span>
  );
};

const titleFor = (people: People, email: string): string =>
  people.has(email)
    ? `${visibleLine(people.get(email)?.name ?? "")}, ${visibleLine(email)}`
    : visibleLine(email);

const hues = 8;

/** Returns the number of a person's colour, from 0 to 7. A new name does not change the colour. */
const hueOf = (userId: string): number =>
  [...userId].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 0) % hues;

/** Returns the initials of a person: `AB` for `Ada King Byron`, `ab` for the address `ada.byron@…`. */
export function initialsOf(name: string | undefined, email: string): string {
  const words = wordsIn(name ?? "");
  const [first = "", second = ""] =
    words.length > 0 ? [words[0], lastOf(words)] : wordsIn(email.split("@")[0] ?? "");
  return `${firstLetter(first)}${firstLetter(second)}` || "?";
}

const wordsIn = (text: string): string[] =>
  visibleLine(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");

const lastOf = (words: readonly string[]): string => (words.length > 1 ? (words.at(-1) ?? "") : "");

const letters = new Intl.Segmenter();

const firstLetter = (word: string): string => [...letters.segment(word)][0]?.segment ?? "";

/** Shows the word `by` and the person who made a change. */
export const By = ({
  change,
}: {
  /** The e-mail address of the person; undefined if no member made the change, or if the person is unknown. */
  readonly change: { readonly email: string } | undefined;
}) =>
  change === undefined ? null : (
    <>
      {" by "}
      <Person email={change.email} />
    </>
  );
