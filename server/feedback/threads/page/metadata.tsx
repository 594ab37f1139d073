import { limits } from "../../../../src/contract/limits.ts";
import type { DroppedMetadata } from "../../../../src/contract/threads.ts";
import { reasonWords } from "../../../../src/words/dropped.ts";
import { counted, Line, UserText } from "../../../console/parts.tsx";

/** An entry of metadata: its name and its value. A value of `undefined` says that a repeat does not have the entry. */
type Entry = readonly [name: string, value: unknown];

/** How many entries of a list are shown before the rest is folded. */
const mostShown = 12;

/** An object with more values than this is folded. Values of nested objects count, too. */
const mostNested = 8;

/** How many lines of a text, such as a stack trace, are shown before the rest is folded. */
const mostLines = 5;

/** How many characters of a text with one line are shown before the rest is folded. */
const mostCharacters = 240;

/** Metadata as a table of names and values. Long lists, large objects and long texts are folded. */
export const Metadata = ({ entries }: { readonly entries: readonly Entry[] }) => {
  const [shown, folded] = [entries.slice(0, mostShown), entries.slice(mostShown)];
  if (entries.length === 0) return null;
  return (
    <>
      <Rows entries={shown} />
      {folded.length > 0 && (
        <details class="reveal paper-open">
          <summary>{`Show ${folded.length} more`}</summary>
          <Rows entries={folded} />
        </details>
      )}
    </>
  );
};

const Rows = ({ entries }: { readonly entries: readonly Entry[] }) => (
  <dl class="metadata">
    {entries.map((entry) => (
      <div key={entry[0]} class={isWide(entry) ? "wide" : undefined}>
        <dt>
          <Line text={entry[0]} />
        </dt>
        <dd>
          <Value value={entry[1]} />
        </dd>
      </div>
    ))}
  </dl>
);

/** A name with more characters is shown above its value, so that a narrow column has space for the value. */
const longName = 16;

/** Whether a value is shown below its name. */
const isWide = ([name, value]: Entry): boolean =>
  name.length > longName ||
  (typeof value === "string"
    ? value.includes("\n") || value.length > mostCharacters
    : childrenOf(value).length > 0);

const Value = ({ value }: { readonly value: unknown }) => {
  if (value === undefined) return <span class="muted">not in this report</span>;
  if (value === "") return <span class="muted">empty</span>;
  if (typeof value === "string") return <Text text={value} />;
  if (typeof value !== "object" || value === null) return <Line text={String(value)} />;
  const children = childrenOf(value);
  if (children.length === 0)
    return <span class="muted">{Array.isArray(value) ? "empty list" : "empty"}</span>;
  const count = leavesOf(value);
  if (count <= mostNested) return <Rows entries={children} />;
  return (
    <details class="reveal paper-open">
      <summary>
        {counted(children.length, Array.isArray(value) ? "element" : "entry", wordsFor(value))}
      </summary>
      <Rows entries={children} />
    </details>
  );
};

const wordsFor = (value: object): string => (Array.isArray(value) ? "elements" : "entries");

/** Returns the entries of an object, or the elements of a list, which have their numbers as names. */
function childrenOf(value: unknown): Entry[] {
  if (Array.isArray(value)) return value.map((element, at): Entry => [String(at + 1), element]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Returns how many rows show a value. */
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
