import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { visibleLine } from "../../src/words/visible.ts";
import { Line } from "./parts.tsx";

/** The name of a person who is a member of an app together with the reader of the page. */
export interface NamedPerson {
  readonly name: string;
  /**
   * Whether the reader of the page sees another person with the same name. If so, the address is shown, too.
   */
  readonly isShared: boolean;
}

/**
 * The people who have a name and share an app with the reader. The keys are their e-mail addresses. (rule K33)
 */
export type People = ReadonlyMap<string, NamedPerson>;

/** The context with the people whose names the page may show. */
export const PeopleHere = createContext<People>(new Map());

/**
 * Returns the people by their e-mail addresses. Names that differ only in case, spaces or Unicode form count as the
 * same.
 */
export function peopleOf(rows: readonly { readonly email: string; readonly name: string }[]): People {
  const counts = new Map<string, number>();
  for (const { name } of rows) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  return new Map(
    rows.map(({ email, name }) => [email, { name, isShared: (counts.get(keyOf(name)) ?? 0) > 1 }]),
  );
}

const keyOf = (name: string): string => name.normalize("NFKC").replace(/\s+/gu, " ").toLowerCase();

/**
 * Returns the text that names a person: the name, or the address if the name is not known. If several people have the
 * name, the text contains the name and the address.
 */
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

/** Shows the name of a person, with the address as a tooltip. Shows the address if the name is not known. */
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
 * Shows the initials of a person in a small circle. The colour depends on the account. If `before` is given, screen
 * readers read the name or the address instead of the initials.
 */
export const Avatar = ({
  userId,
  email,
  before = "",
}: {
  readonly userId: string;
  readonly email: string;
  /**
   * The text that screen readers read before the name. If this text is missing, screen readers read nothing, because
   * the name is already elsewhere on the page.
   */
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

/**
 * Returns the number of a person's colour, from 0 to 7. The number depends on the id, so it does not change with the
 * name.
 */
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
  /** The change; undefined if no member made it, or if the person is unknown. */
  readonly change: { readonly email: string } | undefined;
}) =>
  change === undefined ? null : (
    <>
      {" by "}
      <Person email={change.email} />
    </>
  );
