/** The values for the placeholders of a saved reply. */
export interface ReplyFacts {
  /** Null for a sender without a name. */
  readonly name: string | null;
  readonly app: string;
  /** Whether senders of the app have a page. */
  readonly hasPage: boolean;
}

const statusUrl = "{statusUrl}";

/**
 * Returns a saved reply for one sender. If the sender has no name, the space before the placeholder is removed, too.
 * `{statusUrl}` stays, because only the receiver may read the link: `withStatusUrl` inserts it for each receiver. (rule
 * F32)
 */
export function replyFrom(body: string, { name, app, hasPage }: ReplyFacts): string {
  // One step replaces all placeholders, so a placeholder inside a name is not replaced.
  return body.replace(
    // A match never begins at a space after a space. Otherwise a long row of spaces would be read again from each
    // space.
    /(?<![ \t])([ \t]*)\{(name|app|statusUrl)\}/g,
    (_, space: string, placeholder: "name" | "app" | "statusUrl") => {
      if (placeholder === "statusUrl") return hasPage ? space + statusUrl : "";
      const value = withoutBraces(placeholder === "app" ? app : (name ?? ""));
      return value === "" ? "" : space + value;
    },
  );
}

const withoutBraces = (value: string): string => value.replace(/[{}]/g, "").trim();

/** Returns a reply as its receiver reads it. Without a link, the placeholder is removed. */
export const withStatusUrl = (body: string, link: string | undefined): string =>
  body.replaceAll(statusUrl, () => link ?? "");
