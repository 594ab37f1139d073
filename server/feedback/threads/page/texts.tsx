import { limits } from "../../../../src/contract/limits.ts";
import type { DroppedMetadata } from "../../../../src/contract/threads.ts";
import { reasonWords } from "../../../../src/words/thread.ts";
import { counted, Line, UserText } from "../../../console/parts.tsx";

/** Returns the number of a thread for its title, such as `#12 `. Empty without a number. */
export const numberOf = ({ number }: { readonly number: number | null }): string =>
  number === null ? "" : `#${number} `;

/** A name and a value. A long name is above its value. Without a value, nothing is shown. */
export const Pair = ({ name, value }: { readonly name: string; readonly value: string | null }) =>
  value === null || value === "" ? null : (
    <div class={isLong(name, value) ? "long" : undefined}>
      <dt>
        <Line text={name} />
      </dt>
      <dd>{isShort(value) ? <Line text={value} /> : <FoldedText text={value} isBrief />}</dd>
    </div>
  );

/** Whether a value is short and has one line. Such a value is next to its name. */
const isShort = (value: string): boolean => value.length <= 120 && !value.includes("\n");

const isLong = (name: string, value: string): boolean => name.length > 14 || value.includes("\n");

interface Most {
  readonly lines: number;
  readonly characters: number;
}

const aScreen: Most = { lines: 40, characters: 3_500 };

/** The length of the visible beginning of a text in a narrow column. */
const aFewLines: Most = { lines: 8, characters: 400 };

/** A text of any length. If it is long, its end is folded. */
export const FoldedText = ({
  text,
  rest = "more lines",
  isBrief = false,
}: {
  readonly text: string;
  /** The name of the folded part, such as `more lines`. The name is shown after the number of lines. */
  readonly rest?: string;
  /** Whether only a few lines are shown, for a narrow column with many texts. */
  readonly isBrief?: boolean;
}) => {
  const at = foldPosition(text, isBrief ? aFewLines : aScreen);
  if (at === text.length) return <UserText text={text} />;
  const lines = text.slice(at).split("\n").length;
  return (
    <div>
      <UserText text={text.slice(0, at).trimEnd()} />
      <details class="reveal rest">
        <summary>{lines > 1 ? `Show ${lines.toLocaleString("en")} ${rest}` : "Show the rest"}</summary>
        <UserText text={text.slice(at)} />
      </details>
    </div>
  );
};

/**
 * Returns the position at which the folded part begins. Returns the length of the text if nothing is folded.
 */
function foldPosition(text: string, most: Most): number {
  const byLines = afterLine(text, most.lines);
  const at = Math.min(byLines, most.characters);
  // A short end is not folded.
  if (text.length - at < most.characters / 4 && text.slice(at).split("\n").length < most.lines / 2) {
    return text.length;
  }
  if (at === byLines) return at;
  const gap = text.slice(0, at).search(/\s\S*$/);
  return gap > at / 2 ? gap + 1 : wholeCharacter(text, at);
}

/** Returns the position `at`. If it is inside a surrogate pair, returns the position before that pair. */
const wholeCharacter = (text: string, at: number): number =>
  (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;

function afterLine(text: string, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}

/** An entry of metadata. The value `undefined` means that a repeated report does not have the entry. */
type Entry = readonly [name: string, value: unknown];

/** The number of entries of a list that are shown. Further entries are folded. */
const mostShown = 12;

/** The maximum number of values of an object that is not folded. Values of nested objects count, too. */
const mostNested = 8;

/** A text with several lines, such as a stack trace, shows this number of lines. Further lines are folded. */
const mostLines = 5;

/** A text with one line shows this number of characters. Further characters are folded. */
const mostCharacters = 240;

/** The maximum number of values of the metadata of one report on a page. Values of nested objects count, too. */
const mostValues = 200;

/** A table of metadata. Long values are folded. At most `mostValues` values are shown. */
export const Metadata = ({ entries }: { readonly entries: readonly Entry[] }) => {
  if (entries.length === 0) return null;
  const onPage = firstOf(entries, mostValues);
  const [shown, folded] = [onPage.slice(0, mostShown), onPage.slice(mostShown)];
  const left = leavesOf(entries.map(([, value]) => value)) - mostValues;
  return (
    <>
      <Rows entries={shown} />
      {folded.length > 0 && (
        <details class="reveal paper-open">
          <summary>{`Show ${folded.length} more`}</summary>
          <Rows entries={folded} />
        </details>
      )}
      {left > 0 && (
        <p class="muted">
          {`${left.toLocaleString("en")} more ${left === 1 ? "value is" : "values are"}`} not shown here. The
          API and <code>innkeep feedback view --json</code> show all values.
        </p>
      )}
    </>
  );
};

/** An entry, and the maximum number of its values that are on the page. */
interface LimitedEntry {
  readonly entry: Entry;
  readonly most: number;
}

/** Returns the first entries, with at most `most` values. The last entry may be cut. */
function firstOf(entries: readonly Entry[], most: number): LimitedEntry[] {
  const first: LimitedEntry[] = [];
  let left = most;
  for (const entry of entries) {
    if (left <= 0) break;
    first.push({ entry, most: left });
    left -= Math.max(1, leavesOf(entry[1]));
  }
  return first;
}

const Rows = ({ entries }: { readonly entries: readonly LimitedEntry[] }) => (
  <dl class="metadata">
    {entries.map(({ entry, most }) => (
      <div key={entry[0]} class={isWide(entry) ? "wide" : undefined}>
        <dt>
          <Line text={entry[0]} />
        </dt>
        <dd>
          <Value value={entry[1]} most={most} />
        </dd>
      </div>
    ))}
  </dl>
);

/** The maximum length of a name next to its value. A longer name is above its value. */
const longName = 16;

/** Whether a value is shown below its name, not next to it. */
const isWide = ([name, value]: Entry): boolean =>
  name.length > longName ||
  (typeof value === "string"
    ? value.includes("\n") || value.length > mostCharacters
    : childrenOf(value).length > 0);

const Value = ({ value, most }: { readonly value: unknown; readonly most: number }) => {
  if (value === undefined) return <span class="muted">not in this report</span>;
  if (value === "") return <span class="muted">empty</span>;
  if (typeof value === "string") return <Text text={value} />;
  if (typeof value !== "object" || value === null) return <Line text={String(value)} />;
  const children = childrenOf(value);
  if (children.length === 0)
    return <span class="muted">{Array.isArray(value) ? "empty list" : "empty"}</span>;
  const count = leavesOf(value);
  const entries = firstOf(children, most);
  if (count <= mostNested) return <Rows entries={entries} />;
  return (
    <details class="reveal paper-open">
      <summary>
        {counted(children.length, Array.isArray(value) ? "element" : "entry", wordsFor(value))}
      </summary>
      <Rows entries={entries} />
    </details>
  );
};

const wordsFor = (value: object): string => (Array.isArray(value) ? "elements" : "entries");

/** Returns the entries of an object, or the elements of a list with positions from 1 as names. */
function childrenOf(value: unknown): Entry[] {
  if (Array.isArray(value)) return value.map((element, at): Entry => [String(at + 1), element]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Counts the values in a list or an object, also nested ones. Returns 0 for other values. */
const leavesOf = (value: unknown): number =>
  childrenOf(value).reduce((count, [, child]) => count + Math.max(1, leavesOf(child)), 0);

/** A text of any length. A text with several lines, such as a stack trace, is shown line by line. */
const Text = ({ text }: { readonly text: string }) => {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length > 1) return <Lines lines={lines} />;
  if (text.length <= mostCharacters) return <Line text={text} />;
  return (
    <details class="reveal paper-open">
      <summary>{`${text.length.toLocaleString("en")} characters`}</summary>
      <UserText text={text} />
    </details>
  );
};

const Lines = ({ lines }: { readonly lines: readonly string[] }) => {
  const isLong = lines.length > mostLines + 1;
  const [shown, folded] = isLong ? [lines.slice(0, mostLines), lines.slice(mostLines)] : [lines, []];
  return (
    <div class="printed">
      {shown.map(PrintedLine)}
      {folded.length > 0 && (
        <details class="reveal paper-open">
          <summary>{`Show ${folded.length.toLocaleString("en")} more lines`}</summary>
          <div>{folded.map(PrintedLine)}</div>
        </details>
      )}
    </div>
  );
};

const PrintedLine = (line: string, at: number) => <UserText key={at} text={line === "" ? "\u00A0" : line} />;

/** Says which entries of the metadata were not stored, and why. (rule F6) */
export const Dropped = ({ entries = [] }: { readonly entries?: readonly DroppedMetadata[] | undefined }) =>
  entries.length === 0 ? null : (
    <p class="dropped">
      {entries.length >= limits.namedDrops ? "At least " : ""}
      {counted(entries.length, "entry was", "entries were")} dropped:{" "}
      {entries.map(({ name, reason }, at) => (
        <span key={`${name} ${reason}`}>
          {at > 0 && ", "}
          <b>
            <Line text={name} />
          </b>{" "}
          ({reasonWords(reason)})
        </span>
      ))}
    </p>
  );
