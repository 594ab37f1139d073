/** What fills the placeholders of a saved reply. */
export interface ReplyFacts {
  /** Null for a sender without a name. */
  readonly name: string | null;
  readonly app: string;
  /** Whether senders of the app have a page. */
  readonly hasPage: boolean;
}

const statusUrl = "{statusUrl}";

/**
 * A saved reply for one sender. Without a name the space before the placeholder goes, too. `{statusUrl}` stays, because only
 * the receiver may read the link: `withStatusUrl` fills it in for each of them. (rule F32)
 */
export function replyFrom(body: string, { name, app, hasPage }: ReplyFacts): string {
  // Filled in at once, so that a name that looks like a placeholder is none.
  return body.replace(
    // A space after a space begins no match: else a long row of them would be read again from each.
    /(?<![ \t])([ \t]*)\{(name|app|statusUrl)\}/g,
    (_, space: string, placeholder: "name" | "app" | "statusUrl") => {
      if (placeholder === "statusUrl") return hasPage ? space + statusUrl : "";
      const value = withoutBraces(placeholder === "app" ? app : (name ?? ""));
      return value === "" ? "" : space + value;
    },
  );
}

const withoutBraces = (value: string): string => value.replace(/[{}]/g, "").trim();

/** A reply as its receiver reads it. Without a link the placeholder is left out. */
export const withStatusUrl = (body: string, link: string | undefined): string =>
  body.replaceAll(statusUrl, () => link ?? "");
