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
  const blank = /^(?:[ \t]*\n)*/.exec(body)?.[0] ?? "";
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

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
