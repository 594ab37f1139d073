import { withoutFeedbackLines } from "../../../src/contract/feedback-lines.ts";
import type { Settings } from "../../settings/settings.ts";

/**
 * Returns a Markdown text as HTML, without the lines that only name threads. The renderer is loaded only here, because
 * it loads slowly.
 */
export const htmlOf = (settings: Pick<Settings, "baseUrl">, markdown: string): Promise<string> =>
  htmlOfWhole(settings, withoutFeedbackLines(markdown));

/** Returns a Markdown text as HTML, with all its lines. */
export async function htmlOfWhole({ baseUrl }: Pick<Settings, "baseUrl">, markdown: string): Promise<string> {
  const { createMarkdown } = await import("./markdown.lazy.ts");
  return createMarkdown(`${baseUrl}/uploads/`)(markdown);
}

/** The most characters of a text that a line shows the beginning of. */
const mostRead = 2_000;

/** Returns the function that turns the beginnings of Markdown texts into plain lines, without Markdown syntax. */
export async function linesOfMarkdown(): Promise<(markdown: string) => string> {
  const { createWords } = await import("./markdown.lazy.ts");
  const wordsOf = createWords();
  return (markdown) => wordsOf(markdown.slice(0, mostRead));
}
