/** The most characters of a text that a preview reads. */
const mostRead = 2_000;

/** Returns the beginning of a Markdown text without its marks, for a line that shows what the text is about. */
export const plainPreview = (markdown: string): string =>
  markdown
    .slice(0, mostRead)
    .replace(/^[ \t]*(?:```|~~~).*$/gm, "")
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)+/gm, "")
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, "")
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, "$1")
    .replace(/`+([^`\n]+)`+/g, "$1")
    .replace(/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_\n]*[^\s*_])\1(?![\p{L}\p{N}*_])/gu, "$2")
    .replace(/\n{2,}/g, "\n")
    .trim();
