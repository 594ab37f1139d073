/** The values for the placeholders of a saved reply. */
export interface ReplyFacts {
  /** Null for a sender without a name. */
  readonly name: string | null;
  readonly app: string;
  /** Whether senders of the app have a sender's page. */
  readonly hasPage: boolean;
}

const statusUrl = "{statusUrl}";

/**
 * Returns the text of a saved reply for one sender. If the sender has no name, the space before `{name}` is removed,
 * too. `{statusUrl}` stays in the text, because only the receiver may read that link. `withStatusUrl` inserts it for
 * each receiver. (rule F32)
 */
export function replyFrom(body: string, { name, app, hasPage }: ReplyFacts): string {
  // All placeholders are replaced in one step. So a placeholder in the name of a sender is not replaced.
  return body.replace(
    // A match never begins at a space that follows another space. Otherwise many spaces in succession would take
    // quadratic time.
    /(?<![ \t])([ \t]*)\{(name|app|statusUrl)\}/g,
    (_, space: string, placeholder: "name" | "app" | "statusUrl") => {
      if (placeholder === "statusUrl") return hasPage ? space + statusUrl : "";
      const value = withoutBraces(placeholder === "app" ? app : (name ?? ""));
      return value === "" ? "" : space + value;
    },
  );
}

const withoutBraces = (value: string): string => value.replace(/[{}]/g, "").trim();

/**
 * Returns a reply as its receiver reads it, with the link in the place of `{statusUrl}`. Without a link, that
 * placeholder is removed.
 */
export const withStatusUrl = (body: string, link: string | undefined): string =>
  body.replaceAll(statusUrl, () => link ?? "");
