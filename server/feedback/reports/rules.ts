const longest = 80;

/**
 * Returns a subject of at most 80 characters. Without letters and digits in `message`, the subject begins with
 * the type. (rule F7)
 */
export function subjectOf(type: string, message: string): string {
  const line = firstLine(message);
  const sentence = firstSentence(message);
  if (!/[\p{L}\p{N}]/u.test(message)) return `${type}: ${cut(line, longest - type.length - 2)}`;
  return cut(/[\p{L}\p{N}]/u.test(sentence) ? sentence : line || message.trim(), longest);
}

const firstLine = (message: string): string =>
  message.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ").trim() ?? "";

/** Returns the first sentence of a message, or its first line if no sentence ends there. (rule F7) */
export function firstSentence(message: string): string {
  const line = firstLine(message);
  for (const { 0: end, index } of line.matchAll(sentenceEnd)) {
    const after = index + end.length;
    if (end !== "." || !isInnerPoint(line, index)) return line.slice(0, after);
  }
  return line;
}

/**
 * The punctuation at the end of a sentence, except before closing quotation marks. The lookbehinds prevent a
 * quadratic time.
 */
const sentenceEnd = /(?<![.!?…؟۔।])[.!?…؟۔।]+(?=\s|$)|(?<![。！？｡])[。！？｡]+(?![。！？｡」』）])/gu;

/** Whether the point at `at` belongs to a list number, an abbreviation or initials. */
function isInnerPoint(line: string, at: number): boolean {
  const word = /[^\s("'„“«]{1,20}$/u.exec(line.slice(Math.max(0, at - 20), at))?.[0] ?? "";
  const next = line.slice(at + 1, at + 4).trimStart();
  const startsLine = word.length === at;
  if (startsLine && /^\d[\d.]*$/.test(word)) return true;
  if (/^(?:[\p{Lu}\p{Ll}]\.)*[\p{Lu}\p{Ll}]$/u.test(word) || titles.test(word)) return true;
  if (/^\d/.test(next)) return beforeNumbers.test(word);
  return /^\p{Ll}/u.test(next) && beforeWords.test(word);
}

const titles = /^(?:mr|mrs|ms|mx|dr|prof|mme|mlle|sra?|srta|vs|approx|ca|bzw|evtl|ggf|inkl|zzgl)$/i;

const beforeNumbers = /^(?:no|nr|núm|vol|fig|pp|art)$/i;

const beforeWords = /^(?:\d+|etc|usw|incl|esp|resp)$/i;

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = Array.from(text);
  if (points.length <= most) return text;
  const head = points.slice(0, most - 1).join("");
  const lastSpace = head.lastIndexOf(" ");
  return `${(lastSpace > most / 2 ? head.slice(0, lastSpace) : head).trimEnd()}…`;
}
