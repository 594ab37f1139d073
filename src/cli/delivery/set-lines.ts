import { fromTerminal } from "../../words/terminal.ts";

/** Characters of Windows-1252 beyond Latin-1, from byte 0x80 on. A space stands for a byte without a character. */
const beyondLatin1 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
const bytes: ReadonlyMap<string, string> = new Map(
  [...beyondLatin1].flatMap((character, at) =>
    character === " " ? [] : [[character, String.fromCharCode(0x80 + at)] as const],
  ),
);

const tabWidth = 8;

/**
 * A text as lines of at most `columns` characters, each character one byte of Windows-1252. What that lacks, and control
 * characters, become `\u{…}`; it is shown as in a terminal.
 */
export function setLines(text: string, columns: number): string[] {
  const plain = fromTerminal(text.replace(/^\ufeff/, "")).normalize("NFC");
  return plain.split(/\r\n|\n|\r/).flatMap((line) => wrapped(line, columns));
}

function wrapped(line: string, columns: number): string[] {
  // Most lines are like this, and need not be read character by character.
  if (line.length <= columns && /^[ -~]*$/.test(line)) return [line];
  const rows: string[] = [];
  let row = "";
  for (const character of line) {
    const isTab = character === "\t";
    const shown = isTab ? " ".repeat(tabWidth - (row.length % tabWidth)) : byteOf(character);
    const fits = row.length + shown.length <= columns;
    if (!fits) rows.push(row);
    if (fits) row += shown;
    else row = isTab ? "" : shown;
  }
  return [...rows, row];
}

function byteOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if ((code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff)) return character;
  return bytes.get(character) ?? `\\u{${code.toString(16)}}`;
}
