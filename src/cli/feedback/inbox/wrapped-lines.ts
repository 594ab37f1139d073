import { widthOf } from "../../core/plain-text.ts";

/** The lines of a text, cut at spaces to fit a width. The time grows in proportion to the text, also for hostile texts. */
export const wrapped = (text: string, width: number): string[] =>
  text.split("\n").flatMap((line) => wrappedLine(line.replaceAll("\t", "  "), width));

function wrappedLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let kept = "";
  let used = 0;
  for (const word of line.match(/ +|[^ ]+/g) ?? []) {
    for (const part of partsOf(word, width)) {
      if (used + part.width > width) {
        lines.push(kept.trimEnd());
        [kept, used] = ["", 0];
        // The spaces at which a line is cut are dropped.
        if (part.text.trim() === "") continue;
      }
      kept += part.text;
      used += part.width;
    }
  }
  return [...lines, kept];
}

interface Part {
  readonly text: string;
  readonly width: number;
}

/** A word, in parts if it is wider than a line. */
function partsOf(word: string, most: number): Part[] {
  const whole = widthOf(word);
  if (whole <= most) return [{ text: word, width: whole }];
  const parts: Part[] = [];
  let [text, width] = ["", 0];
  for (const character of word) {
    const more = widthOf(character);
    if (text !== "" && width + more > most) {
      parts.push({ text, width });
      [text, width] = ["", 0];
    }
    text += character;
    width += more;
  }
  return [...parts, { text, width }];
}
