import { deflateSync } from "node:zlib";
import { normalised } from "../contract/json.ts";
import { fromTerminal } from "./visible.ts";

export interface TextFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly text: string;
}

// The size of an A4 page in points.
const page = { width: 595, height: 842, margin: 40, size: 8, leading: 10 };

// The width of a character in Courier is 0.6 of the font size.
const columns = Math.floor((page.width - 2 * page.margin) / (page.size * 0.6));

const rows = Math.floor((page.height - 2 * page.margin) / page.leading);

/** The numbers of the first PDF objects. Two objects follow for each page: the page and its content. */
const at = { catalog: 1, pages: 2, font: 3, attachment: 4, original: 5, info: 6, firstPage: 7 };

/** Returns the text as a PDF in Courier. The PDF also contains the original file, unchanged, as an attachment. */
export function pdfOfText({ name, bytes, text }: TextFile): Buffer {
  const sheets = inGroups(setLines(text, columns), rows);
  const pageNumbers = sheets.map((_, index) => `${at.firstPage + 2 * index} 0 R`);
  const title = textString(name);
  const plainName = `(${escaped(name.replace(/[^ -~]/g, "_"))})`;
  return fileOf([
    ascii(
      `<</Type/Catalog/Pages ${at.pages} 0 R/PageMode/UseAttachments` +
        `/Names<</EmbeddedFiles<</Names[${title} ${at.attachment} 0 R]>>>>>>`,
    ),
    ascii(
      `<</Type/Pages/Count ${sheets.length}/Kids[${pageNumbers.join(" ")}]` +
        `/MediaBox[0 0 ${page.width} ${page.height}]/Resources<</Font<</F ${at.font} 0 R>>>>>>`,
    ),
    ascii("<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>"),
    ascii(`<</Type/Filespec/F${plainName}/UF${title}/EF<</F ${at.original} 0 R>>>>`),
    stream(`/Type/EmbeddedFile/Subtype/text#2Fplain/Params<</Size ${bytes.length}>>`, bytes),
    ascii(`<</Title${title}/Producer(Innkeep)>>`),
    ...sheets.flatMap((lines, index) => [
      ascii(`<</Type/Page/Parent ${at.pages} 0 R/Contents ${at.firstPage + 2 * index + 1} 0 R>>`),
      stream("", ascii(drawing(lines))),
    ]),
  ]);
}

/** Whether a text has more than `most` lines. The time to create a PDF depends on the number of lines. */
export function hasMoreLines(text: string, most: number): boolean {
  let lines = 0;
  for (let at = 0; at < text.length && lines <= most; at += 1) {
    const isEnd = text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n");
    if (isEnd) lines += 1;
  }
  return lines > most;
}

/** Returns the content of a page: its lines, from the top down. */
const drawing = (lines: readonly string[]): string =>
  `BT/F ${page.size} Tf ${page.leading} TL ${page.margin} ${page.height - page.margin} Td\n` +
  `${lines.map((line) => `(${escaped(line)})'`).join("\n")}\nET`;

/** Returns the objects as a PDF file, with the table of their positions at its end. */
function fileOf(objects: readonly Buffer[]): Buffer {
  const parts = [ascii("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")];
  const entries = ["0000000000 65535 f \n"];
  let length = parts[0]?.length ?? 0;
  objects.forEach((object, index) => {
    const part = Buffer.concat([ascii(`${index + 1} 0 obj\n`), object, ascii("\nendobj\n")]);
    entries.push(`${String(length).padStart(10, "0")} 00000 n \n`);
    parts.push(part);
    length += part.length;
  });
  const trailer = `<</Size ${entries.length}/Root ${at.catalog} 0 R/Info ${at.info} 0 R>>`;
  const end = `xref\n0 ${entries.length}\n${entries.join("")}trailer\n${trailer}\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, ascii(end)]);
}

function stream(entries: string, content: Buffer): Buffer {
  const packed = deflateSync(content);
  const head = `<<${entries}/Filter/FlateDecode/Length ${packed.length}>>\nstream\n`;
  return Buffer.concat([ascii(head), packed, ascii("\nendstream")]);
}

/** Returns a text with one byte for each character. */
const ascii = (text: string): Buffer => Buffer.from(text, "latin1");

const escaped = (text: string): string => text.replace(/[\\()]/g, "\\$&");

/** Returns a PDF string for text of any script: UTF-16 in hexadecimal digits. */
const textString = (text: string): string =>
  `<FEFF${Buffer.from(text, "utf16le").swap16().toString("hex").toUpperCase()}>`;

function inGroups(lines: readonly string[], size: number): string[][] {
  const count = Math.max(1, Math.ceil(lines.length / size));
  return Array.from({ length: count }, (_, group) => lines.slice(group * size, (group + 1) * size));
}

/** The characters of Windows-1252 for the bytes 0x80 to 0x9f. A byte without a character is a space here. */
const beyondLatin1 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

const bytes: ReadonlyMap<string, string> = new Map(
  [...beyondLatin1].flatMap((character, at) =>
    character === " " ? [] : [[character, String.fromCharCode(0x80 + at)] as const],
  ),
);

const tabWidth = 8;

/** Returns a text as a terminal shows it, in lines of at most `columns` bytes of Windows-1252. */
function setLines(text: string, columns: number): string[] {
  const plain = normalised(fromTerminal(text.replace(/^\ufeff/, "")), "NFC");
  return plain.split(/\r\n|\n|\r/).flatMap((line) => wrapped(line, columns));
}

function wrapped(line: string, columns: number): string[] {
  // Most lines contain only ASCII, so they need no conversion.
  if (/^[ -~]*$/.test(line)) return cut(line, columns);
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

function cut(line: string, columns: number): string[] {
  const rows = Math.max(1, Math.ceil(line.length / columns));
  return Array.from({ length: rows }, (_, row) => line.slice(row * columns, (row + 1) * columns));
}

/** Returns the character in Windows-1252. Control and unknown characters become `\u{…}`. */
function byteOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if ((code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff)) return character;
  return bytes.get(character) ?? `\\u{${code.toString(16)}}`;
}
