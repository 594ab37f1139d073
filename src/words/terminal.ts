/**
 * Returns text that was written for a terminal as a person sees it: without codes for colours, links and the cursor,
 * and without progress lines that later lines replaced. All other text stays, even if a program erased it. (rule L19)
 */
export function fromTerminal(given: string): string {
  if (!isForTerminal.test(given)) return given;
  const text = withoutCodes(given).replaceAll("\u0007", "");
  const plain = text.includes("\b") ? backspaced(text) : text;
  // Lines in old Macintosh files end with carriage returns.
  const joint = plain.includes("\n") || text !== given ? " " : "\n";
  const lines: string[] = [];
  for (const line of plain.replace(/\r+\n/g, "\n").split("\n")) {
    for (let ups = line.split(up).length - 1; ups > 0 && isProgress(lines.at(-1) ?? ""); ups -= 1)
      lines.pop();
    lines.push(lastStateOf(line.replaceAll(up, ""), joint));
  }
  return lines.join("\n");
}

/**
 * Returns text without codes for terminals. Does not use Node's `stripVTControlCharacters`: for some texts it takes
 * hours.
 */
export const withoutTerminalCodes = (text: string): string =>
  withoutCodes(text).replaceAll(up, "").replaceAll(erased, "");

const [esc, csi, end, bell] = ["\\u001b", "\\u009b", "\\u009c", "\\u0007"];
const isForTerminal = new RegExp(`[${bell}\b${esc}${csi}]|#x1B\\[|\\r(?!\\n)`);

const code = new RegExp(
  [
    `(?:(?:${esc}|#x1B)\\[|${csi})([0-?]*)[ -/]*(?:([@-~])|$)`,
    // A link, a title and other texts for the terminal itself. U+FFFD replaces the bell character, which XML does not
    // allow.
    `${esc}[\\]PX^_][^${bell}${esc}${end}\\ufffd\\n]*(?:[${bell}${end}\\ufffd]|${esc}\\\\)`,
    `${esc}[ -/]*[0-~]`,
    `[${esc}${csi}]`,
  ].join("|"),
  "g",
);

/**
 * The marks for "erased" and "one line up", which replace the codes for them. The text has no other such characters.
 */
const [erased, up] = ["\u001b", "\u009b"];
const mostColumns = 200;
const mostLines = 100;

const withoutCodes = (text: string): string =>
  text.replace(code, (_, given: string | undefined, final: string | undefined) => {
    const count = Number(given) || 1;
    if (final === "K" || final === "J") return erased;
    if (final === "A" || final === "F") return up.repeat(Math.min(count, mostLines));
    if (final === "C") return " ".repeat(Math.min(count, mostColumns));
    return final === "G" && count === 1 ? "\r" : "";
  });

/** Returns the text after each backspace has removed the character before it. */
function backspaced(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character !== "\b") kept.push(character);
    else if (!/^[\r\n]?$/.test(kept.at(-1) ?? "")) kept.pop();
  }
  return kept.join("");
}

/**
 * Returns a line without replaced progress. Other erased text stays, because test runners also erase results that
 * matter.
 */
function lastStateOf(line: string, joint: string): string {
  const states = line.split("\r").map((state) => ({
    text: state.replaceAll(erased, ""),
    isErased: state.trimEnd().endsWith(erased),
    erasesBefore: state.startsWith(erased),
  }));
  const kept = states.filter(({ text, isErased }, at) => {
    const next = states[at + 1];
    if (!next) return text.trim() !== "" || states.length === 1;
    if (text.trim() === "" || next.text.startsWith(text.trimEnd())) return false;
    return !(isProgress(text) && (isErased || next.erasesBefore || isProgress(next.text)));
  });
  return kept.map(({ text }, at) => (at === 0 ? text : text.trimStart())).join(joint);
}

const progress =
  /\d ?%|\b\d{1,9} ?(?:\/|of) ?\d{1,9}\b|[█▓▒░━▏▎▍▌▋▊▉■□●○]{2}|[=#]{4}|^\s{0,20}[-|/\\◐◓◑◒\u2800-\u28ff](?:\s|$)/;

const isProgress = (text: string): boolean => progress.test(text);
