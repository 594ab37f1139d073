/**
 * Replaces each `?` of a statement by PostgreSQL's `$1`, `$2` and so on, except in quoted text, quoted names and
 * comments.
 */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(quotedOrMark, (found) => (found === "?" ? `$${++count}` : found));
}

const quotedOrMark = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;
