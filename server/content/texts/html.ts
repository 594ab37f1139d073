import { withoutFeedbackLines } from "../../../src/contract/content-text.ts";
import type { Settings } from "../../settings/settings.ts";

/**
 * Returns a Markdown text as HTML, without the lines that only name threads. The renderer loads slowly, so it is not
 * loaded before the first call.
 */
export const htmlOf = (settings: Pick<Settings, "baseUrl">, markdown: string): Promise<string> =>
  htmlOfWhole(settings, withoutFeedbackLines(markdown));

/** Returns a Markdown text as HTML, with all its lines. */
export async function htmlOfWhole({ baseUrl }: Pick<Settings, "baseUrl">, markdown: string): Promise<string> {
  const { createMarkdown } = await import("./markdown.lazy.ts");
  return createMarkdown(`${baseUrl}/uploads/`)(markdown);
}

/** The maximum number of characters of a text that are read to show its beginning in one line. */
const mostRead = 2_000;

/** Returns a function that returns the beginning of a Markdown text as one line without Markdown syntax. */
export async function linesOfMarkdown(): Promise<(markdown: string) => string> {
  const { createWords } = await import("./markdown.lazy.ts");
  const wordsOf = createWords();
  return (markdown) => wordsOf(markdown.slice(0, mostRead));
}
