import { withoutFeedbackLines } from "../../../src/contract/content-text.ts";
import type { Settings } from "../../settings/settings.ts";

/** Converts Markdown to HTML, without the lines that only name threads. */
export const htmlOf = (settings: Pick<Settings, "baseUrl">, markdown: string): Promise<string> =>
  htmlOfWhole(settings, withoutFeedbackLines(markdown));

/** Converts Markdown to HTML. The renderer loads slowly, so it is not loaded until the first call. */
export async function htmlOfWhole({ baseUrl }: Pick<Settings, "baseUrl">, markdown: string): Promise<string> {
  const { createMarkdown } = await import("./markdown.lazy.ts");
  return createMarkdown(`${baseUrl}/uploads/`)(markdown);
}

/** The number of characters of a text that are parsed to show its beginning in one line. */
const mostRead = 2_000;

/** Loads the parser. Returns a function that returns the beginning of a Markdown text without Markdown syntax. */
export async function linesOfMarkdown(): Promise<(markdown: string) => string> {
  const { createWords } = await import("./markdown.lazy.ts");
  const wordsOf = createWords();
  return (markdown) => wordsOf(markdown.slice(0, mostRead));
}

/** The number of characters of a text that are converted to plain text. */
const mostConverted = 20_000;

/**
 * Returns a function that converts the beginning of Markdown to plain text. Lines that only name threads
 * are left out.
 */
export async function plainTextOfMarkdown(): Promise<(markdown: string) => string> {
  const { createPlainText } = await import("./markdown.lazy.ts");
  const plainText = createPlainText();
  return (markdown) => plainText(withoutFeedbackLines(markdown).slice(0, mostConverted));
}
