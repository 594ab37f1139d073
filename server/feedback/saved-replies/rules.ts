import { unknownPlaceholders } from "../../../src/contract/correspondence.ts";

export interface ReplyFacts {
  /** The name of the sender; null if the sender gave no name. */
  readonly name: string | null;
  readonly app: string;
  /** Whether the server has a page for each sender of the app. */
  readonly hasPage: boolean;
}

const statusUrl = "{statusUrl}";

/**
 * Replaces `{name}` and `{app}` in a reply. `withStatusUrl` replaces `{statusUrl}` later, because only the
 * receiver may see the link. (rule F32)
 */
export function replyFrom(body: string, { name, app, hasPage }: ReplyFacts): string {
  // One step replaces all placeholders. So a placeholder that a sender typed as a name stays as it is.
  return body.replace(
    // A match begins only at the first of several spaces. Otherwise the time grows with the square of their number.
    /(?<![ \t])([ \t]*)\{(name|app|statusUrl)\}/g,
    (_, space: string, placeholder: "name" | "app" | "statusUrl") => {
      if (placeholder === "statusUrl") return hasPage ? space + statusUrl : "";
      const value = withoutBraces(placeholder === "app" ? app : (name ?? ""));
      return value === "" ? "" : space + value;
    },
  );
}

/** Returns the placeholders that have no value. In a reply to everyone, `{name}` has no value. (rule F32) */
export const doubtfulPlaceholders = (
  body: string,
  { hasPage, isToEveryone }: { readonly hasPage: boolean; readonly isToEveryone: boolean },
): string[] => [
  ...unknownPlaceholders(body),
  ...(!hasPage && body.includes(statusUrl) ? ["statusUrl"] : []),
  ...(isToEveryone && body.includes("{name}") ? ["name"] : []),
];

/** Returns the names in a reply that are wrong for at least one receiver of the reply. (rule F32) */
export function otherNamesIn(
  text: string,
  {
    receivers,
    all,
  }: {
    /** The names of the senders who get the reply. A sender without a name is null. */
    readonly receivers: readonly (string | null)[];
    /** The names of all senders of the thread. */
    readonly all: readonly (string | null)[];
  },
): string[] {
  const [own = "", ...more] = receivers.map((name) => withoutBraces(name ?? ""));
  const shared = more.every((name) => isSameName(name, own)) ? own : "";
  const others = new Set(all.map((name) => withoutBraces(name ?? "")).filter((name) => name !== ""));
  // If the receiver is Anna Berg, the word "Anna" in "Anna Berg" is not the name of another sender.
  const withoutShared = shared === "" ? text : text.replaceAll(shared, " ");
  return [...others].filter(
    (name) => hasName(shared.includes(name) ? withoutShared : text, name) && !isSameName(name, shared),
  );
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Whether a text contains a name as a whole word. */
function hasName(text: string, name: string): boolean {
  // A thread can have hundreds of names. A pattern for each of them would take seconds.
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    // A letter has up to two UTF-16 code units.
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(end, end + 2)];
    if (!endsWithLetter.test(before) && !beginsWithLetter.test(after)) return true;
  }
  return false;
}

// A name may be next to Chinese letters. So the patterns match only digits, and letters of scripts with
// capitals.
const endsWithLetter = /[\p{Lu}\p{Ll}\p{N}]$/u;

const beginsWithLetter = /^[\p{Lu}\p{Ll}\p{N}]/u;

const withoutBraces = (value: string): string => value.replace(/[{}]/g, "").trim();

/** Replaces `{statusUrl}` in a reply by the receiver's link. If `link` is undefined, removes the placeholder. */
export const withStatusUrl = (body: string, link: string | undefined): string =>
  body.replaceAll(statusUrl, () => link ?? "");
