/** A heading at the beginning of a text. */
export interface Heading {
  readonly text: string;
  /** Where the text goes on after it. */
  readonly end: number;
  /** The heading with another text, in the same form, with its line end. */
  readonly with: (text: string) => string;
}

/** A longer line is no heading, and would take long to search. */
const longest = 2_000;

/** The heading with which a text begins, in either form of Markdown; undefined without one. */
export function headingOf(body: string): Heading | undefined {
  const blank = blankOf(body);
  const [line = "", next = ""] = body.slice(blank.length).split("\n", 2);
  if (line.length > longest) return undefined;
  const end = (taken: string) => Math.min(body.length, blank.length + taken.length + 1);
  const [, signs, title = ""] = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line) ?? [];
  const text = title.trimEnd().replace(/[ \t]+#+$/, "");
  if (signs !== undefined && text !== "")
    return { text, end: end(line), with: (other) => `${blank}${signs} ${oneLine(other)}\n` };
  if (/^ {0,3}[^\s#>*+-]/.test(line) && /^ {0,3}(?:=+|-+)[ \t]*$/.test(next))
    return {
      text: line.trim(),
      end: end(`${line}\n${next}`),
      with: (other) => `${blank}${oneLine(other)}\n${next}\n`,
    };
  return undefined;
}

/** The empty lines and comments before the text. A search for the end of a comment goes on where the last one ended. */
function blankOf(body: string): string {
  let at = 0;
  for (;;) {
    const empty = /^(?:[ \t]*\n)*/.exec(body.slice(at))?.[0].length ?? 0;
    at += empty;
    const end = body.startsWith("<!--", at) ? body.indexOf("-->", at + 4) : -1;
    if (end < 0) return body.slice(0, at);
    const after = /^[ \t]*(?:\n|$)/.exec(body.slice(end + 3))?.[0];
    if (after === undefined) return body.slice(0, at);
    at = end + 3 + after.length;
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
