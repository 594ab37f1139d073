const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const linkPattern = new RegExp(`/feedback/${uuid}/(${uuid})`, "gi");
const idPattern = new RegExp(uuid, "gi");
const startPattern = /^[\s>]*(?:[-*+]\s+)?[*_]{0,2}Feedback[*_]{0,2}:[*_]{0,2}\s+\S/i;

/**
 * Returns the ids of the threads that a release note names, in lower case and without duplicates. It names them in
 * lines such as `Feedback: ID`, and in links to a thread in the console. (rule C17)
 */
export function feedbackIdsIn(text: string): readonly string[] {
  const ids = text.split("\n").flatMap((line) => (isFeedbackLine(line) ? idsOf(line) : linkedIn(line)));
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** Returns the text as users of the app see it: the lines that only name threads are removed. */
export function withoutFeedbackLines(text: string): string {
  const lines = text.split("\n");
  const shown = lines.filter((line) => !isFeedbackLine(line));
  if (shown.length === lines.length) return text;
  return shown
    .join("\n")
    .replace(/\n(?:[ \t]*\n){2,}/g, "\n\n")
    .trim();
}

/** Returns the ids in the lines that only name threads, in lower case and without duplicates. */
export const idsInFeedbackLines = (text: string): readonly string[] => [
  ...new Set(
    text
      .split("\n")
      .filter(isFeedbackLine)
      .flatMap(idsOf)
      .map((id) => id.toLowerCase()),
  ),
];

/** Returns the text with one line at its end that names these threads. It replaces all earlier lines of this kind. */
export function withFeedbackLine(text: string, ids: readonly string[]): string {
  const shown = withoutFeedbackLines(text);
  if (ids.length === 0) return shown;
  const line = `Feedback: ${ids.join(", ")}`;
  return shown.trim() === "" ? line : `${shown.trimEnd()}\n\n${line}`;
}

/** Whether a line has only `Feedback:` and threads. Any other line that begins with `Feedback:` is text for users. */
function isFeedbackLine(line: string): boolean {
  if (!startPattern.test(line) || idsOf(line).length === 0) return false;
  const [, rest = ""] = /^[^:]*:(.*)$/s.exec(line) ?? [];
  const others = rest
    .replace(/\[[^[\]]*\](?=\()/g, "")
    .replace(/https?:\/\/[^\s)>]+/gi, "")
    .replace(idPattern, "")
    .replace(/[\s,;.()<>`*_&]|\band\b/gi, "");
  return others === "";
}

const idsOf = (line: string): string[] => line.replace(linkPattern, " $1 ").match(idPattern) ?? [];

const linkedIn = (line: string): string[] => [...line.matchAll(linkPattern)].map(([, id = ""]) => id);
