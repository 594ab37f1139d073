/** The text of a statement with `?` written as PostgreSQL's `$1`, `$2` …; quoted text, quoted names and comments stay as they are. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(quotedOrMark, (found) => (found === "?" ? `$${++count}` : found));
}

const quotedOrMark = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;
