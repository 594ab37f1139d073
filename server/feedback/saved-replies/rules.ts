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
 * Replaces the placeholders in a saved or a typed reply. If the sender has no name, the space before `{name}` is removed, too.
 * `{statusUrl}` stays in the text, because only the receiver may know this link. `withStatusUrl` inserts it when the
 * reply is sent. (rule F32)
 */
export function replyFrom(body: string, { name, app, hasPage }: ReplyFacts): string {
  // All placeholders are replaced in one step. So a placeholder that a sender typed as a name is not replaced.
  return body.replace(
    // The lookbehind lets a match begin only at the first of several spaces. Without the lookbehind, the time would
    // grow with the square of the number of spaces.
    /(?<![ \t])([ \t]*)\{(name|app|statusUrl)\}/g,
    (_, space: string, placeholder: "name" | "app" | "statusUrl") => {
      if (placeholder === "statusUrl") return hasPage ? space + statusUrl : "";
      const value = withoutBraces(placeholder === "app" ? app : (name ?? ""));
      return value === "" ? "" : space + value;
    },
  );
}

/**
 * Returns the names of the placeholders in a typed reply that have no value. `{name}` is always known: without a name
 * it is left out. (rule F32)
 */
export const doubtfulPlaceholders = (body: string, hasPage: boolean): string[] => [
  ...unknownPlaceholders(body),
  ...(!hasPage && body.includes(statusUrl) ? ["statusUrl"] : []),
];

const withoutBraces = (value: string): string => value.replace(/[{}]/g, "").trim();

/** Replaces `{statusUrl}` in a reply by the receiver's link. If `link` is undefined, removes the placeholder. */
export const withStatusUrl = (body: string, link: string | undefined): string =>
  body.replaceAll(statusUrl, () => link ?? "");
