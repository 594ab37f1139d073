import { escapedJson, oneLine, visibleText } from "../../words/visible.ts";
import { isCiJob } from "./ci.ts";
import type { Context, GlobalFlags, Sink } from "./context.ts";

// U+FE0F makes an emoji of two columns from some characters of one column. So the width of U+FE0F itself is one
// column.
const wide =
  /[\u{20000}-\u{3fffd}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\r": "\\r" };

/**
 * Removes characters from a stranger's text that move the cursor, change the direction of text or are invisible. Keeps
 * line ends and tabs.
 */
export const printable = (text: string): string => visibleText(text).text;

/**
 * Changes a text so that no CI service finds a command in it. Commands are `::` and `##` at the start of a line, and
 * `##[` and `##vso[` anywhere.
 */
export const withoutCommands = (text: string): string =>
  text.replace(/(^|\n)([^\S\n]*)(?=::|##)/g, "$1$2\\").replace(/##(?=\w*\[)/g, "# #");

type Env = Context["env"];

/**
 * Returns a text in a form that is safe for the log of a CI job. A stranger may have written parts of it, and the CI
 * service runs commands that it finds in the log.
 */
export const asLogged = (env: Env, text: string): string => (isCiJob(env) ? withoutCommands(text) : text);

/**
 * Escapes invisible characters in JSON. In a CI job, also escapes `##`. The escapes do not change the meaning, because
 * these characters occur only in strings. (rule W4)
 */
export const asLoggedJson = (env: Env, json: string): string =>
  isCiJob(env) ? escapedJson(json).replaceAll("##", "#\\u0023") : escapedJson(json);

/** Returns the text on one line, with single spaces in place of other white space. */
export const onOneLine = (text: string): string => oneLine(text);

/**
 * Escapes backslashes, tabs and line ends, so that the text can be one value in a line of values separated by tabs.
 */
export const asTabbed = (text: string): string =>
  printable(text.replace(/[\\\t\n\r\u0085\u2028\u2029]/g, (character) => escapes[character] ?? "\\n"));

/** Returns the width of the text in a terminal, in columns. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

function columnsOf(character: string): number {
  if (character < "\u0300" || character === "\ufe0f") return 1;
  if (wide.test(character)) return 2;
  return /\p{M}/u.test(character) ? 0 : 1;
}

/** Cuts the text to a width. An ellipsis marks the cut. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [kept, used] = ["", 0];
  for (const character of text) {
    used += columnsOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], green: [32, 39] } as const;

type Style = keyof typeof styles;

export type Painter = (style: Style, text: string) => string;

/**
 * Returns the functions that style text. `--color`, NO_COLOR, FORCE_COLOR and the terminal decide whether they add
 * colours.
 */
export function painter(context: Context, flags: GlobalFlags, sink: Sink): Painter {
  if (!showsColor(context, flags, sink)) return (_style, text) => text;
  return (style, text) => `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m`;
}

function showsColor({ env }: Context, { color }: GlobalFlags, sink: Sink): boolean {
  if (color === "always") return true;
  if (color === "never" || color === false) return false;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return sink.isTerminal && env.TERM !== "dumb";
}
