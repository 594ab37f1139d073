const longest = 80;

/**
 * Returns the subject for a report without a subject: the first sentence or line of its message, shortened to 80
 * characters. If the message contains no letters and no digits, the subject begins with the type. (rule F7)
 */
export function subjectOf(type: string, message: string): string {
  const line = firstLine(message);
  const sentence = firstSentence(message);
  if (!/[\p{L}\p{N}]/u.test(message)) return `${type}: ${cut(line, longest - type.length - 2)}`;
  return cut(/[\p{L}\p{N}]/u.test(sentence) ? sentence : line || message.trim(), longest);
}

const firstLine = (message: string): string =>
  message.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ").trim() ?? "";

/** Returns the first sentence of a message, or its first line if that has no end of a sentence. */
export function firstSentence(message: string): string {
  const line = firstLine(message);
  return /^.*?[.!?…。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = Array.from(text);
  if (points.length <= most) return text;
  const head = points.slice(0, most - 1).join("");
  const lastSpace = head.lastIndexOf(" ");
  return `${(lastSpace > most / 2 ? head.slice(0, lastSpace) : head).trimEnd()}…`;
}
