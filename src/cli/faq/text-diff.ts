import type { FaqText } from "./entry.ts";
import { plainText } from "./entry.ts";
import { structuredPatch } from "./packages.lazy.ts";

const context = 2;
const mostMilliseconds = 1_000;

/** The lines in which two texts of an entry differ, `-` from the first and `+` from the second, with some around them. */
export function textDiff(before: FaqText | undefined, after: FaqText | undefined): string[] {
  const [one, other] = [linesOf(before), linesOf(after)];
  const patch = structuredPatch("", "", one, other, "", "", { context, timeout: mostMilliseconds });
  if (!patch) return [...marked("-", one), ...marked("+", other)];
  return patch.hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : ["..."]),
    ...lines.filter((line) => !line.startsWith("\\")),
  ]);
}

const linesOf = (text: FaqText | undefined): string =>
  text === undefined ? "" : `${plainText(text.question)}\n\n${plainText(text.answer)}\n`;

const marked = (mark: string, text: string): string[] =>
  text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => mark + line);
