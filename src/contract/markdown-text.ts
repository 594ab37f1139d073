/**
 * Returns a Markdown text without the blank lines before it and the white space after it. Spaces before the first word
 * stay if they can have a meaning: in a block of code, or before the first of several lines. (rule C2)
 */
export function trimmedMarkdown(text: string): string {
  const trimmed = text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
  return /^(?: {4}| {0,3}\t)|\n/.test(trimmed) ? trimmed : trimmed.trimStart();
}
