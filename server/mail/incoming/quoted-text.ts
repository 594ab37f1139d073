/** How much of a mail is searched for what its sender wrote. The search needs seconds for longer texts. */
export const searched = 10_000;

/** How many lines of each quotation stay in a text that is longer. */
const shownOfQuotation = 2;

/**
 * A tidy text for the search for what its sender wrote, which knows the words around quotations in some languages only. What looks
 * like them in any language is marked as quoted. Of a text that is too long each quotation is shortened first, so that an answer
 * below it is found.
 */
export function withQuotationsMarked(text: string): string {
  const lines = markedBelowHead(withMarkedAttributions(text.split("\n")));
  const whole = lines.join("\n");
  if (whole.length <= searched) return whole;
  return lines
    .filter((line, at) => !isQuoted(line) || !isQuoted(lines[at - shownOfQuotation]))
    .join("\n")
    .slice(0, searched);
}

const isQuoted = (line: string | undefined): boolean => line?.startsWith(">") ?? false;
const asQuoted = (line: string): string => `> ${line}`;

const address = /[<([][^@<>()[\]\s]+@[^@<>()[\]\s]+[>)\]]/;
const date = /\d{4}|\d[:.]\d{2}/;
const dateAndTime = /\d{4}\D.{0,40}\d[:.]\d{2}/;
/** Longer lines are no words around a quotation. */
const longestLine = 300;

/** Marks lines directly in front of quotations that have a date, an address and a colon. The address may have its own line. */
function withMarkedAttributions(lines: readonly string[]): string[] {
  const marked = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (!isQuoted(line) || isQuoted(lines[at - 1])) continue;
    const last = lines[at - 1] === "" ? at - 2 : at - 1;
    const [first = "", second = ""] = lines.slice(Math.max(0, last - 1), last + 1);
    const words = last === 0 ? first : second;
    if (words.length > longestLine || isQuoted(words)) continue;
    if (!/[:：]$/.test(words) || !address.test(words)) continue;
    if (date.test(words.replace(address, ""))) marked.add(last);
    else if (last > 0 && date.test(first) && !lines[last - 2] && words.replace(address, "").length < 3)
      marked.add(last).add(last - 1);
  }
  return lines.map((line, at) => (marked.has(at) ? asQuoted(line) : line));
}

const isDivider = (line = ""): boolean => /^[-_=]{3}/.test(line);
const headLine = /^\p{L}[\p{L} ]{0,20}\s?[:：]\s?\S/u;

/** Marks all from the first head of a mail on: sender with address, date, receiver, subject. */
function markedBelowHead(lines: readonly string[]): string[] {
  const head = lines.findIndex(
    (line, at) =>
      (!lines[at - 1] || isDivider(lines[at - 1])) &&
      line.length <= longestLine &&
      address.test(line) &&
      dateAndTime.test(lines[at + 1] ?? "") &&
      [0, 1, 2, 3].every((next) => headLine.test(lines[at + next] ?? "")),
  );
  if (head === -1) return [...lines];
  const from = isDivider(lines[head - 1]) ? head - 1 : head;
  return lines.map((line, at) => (at < from ? line : asQuoted(line)));
}
