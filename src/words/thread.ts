import type { Message, Thread } from "../contract/agent.ts";
import { countOf } from "./phrases.ts";

type Report = Partial<Pick<Thread["feedback"], "message" | "metadata">>;
type Repeat = Pick<Message, "body" | "metadata">;

/** A thread. Its first report is compared with the repeated reports. */
interface Repeated {
  readonly feedback: Report;
}

/** How a repeated report differs from the first report. */
export interface RepeatDifference {
  /**
   * The text of the repeated report; only the lines that differ, if most lines are the same. Undefined if the whole
   * text is the same.
   */
  readonly text: string | undefined;
  /** Whether `text` contains only the lines that differ. */
  readonly isPartOfText: boolean;
  /**
   * The entries of the metadata that differ, with the values of the repeated report. An object has only the fields that
   * differ. The value of an entry that only the first report has is undefined.
   */
  readonly facts: readonly (readonly [name: string, value: unknown])[];
}

/** The share of a text that must be the same, so that only the lines that differ are shown. */
const mostlySame = 0.75;

/** Returns how a repeated report differs from the report that it repeats. (rule F39) */
export function differenceOf({ feedback }: Repeated, repeat: Repeat): RepeatDifference {
  const text = textDifference(feedback.message ?? "", repeat.body);
  const before: Values = feedback.metadata ?? {};
  const after: Values = repeat.metadata ?? {};
  return { ...text, facts: changedEntries(before, after) };
}

type Values = Readonly<Record<string, unknown>>;

function changedEntries(before: Values, after: Values): [name: string, value: unknown][] {
  const [earlier, later] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...later.keys(), ...earlier.keys()])];
  return names.flatMap((name): [string, unknown][] => {
    const [was, is] = [earlier.get(name), later.get(name)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    if (!isObject(was) || !isObject(is)) return [[name, is]];
    const within = changedEntries(was, is);
    return within.length === 0 ? [] : [[name, Object.fromEntries(within)]];
  });
}

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textDifference(report: string, repeat: string): Pick<RepeatDifference, "text" | "isPartOfText"> {
  if (report.trim() === repeat.trim()) return { text: undefined, isPartOfText: false };
  const known = new Set(linesOf(report));
  const lines = linesOf(repeat);
  const others = lines.filter((line) => !known.has(line));
  const isPartOfText = others.length > 0 && others.length <= lines.length * (1 - mostlySame);
  return { text: isPartOfText ? others.join("\n") : repeat, isPartOfText };
}

const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trimEnd());

type Foldable = Pick<Message, "category"> & {
  readonly id?: string;
  readonly mergedFrom?: string | undefined;
};

/**
 * Whether a message is a repeated report. Only reports have a category. The first report of a merged thread is none.
 */
const isRepeat = ({ category, id, mergedFrom }: Foldable): boolean =>
  category !== undefined && (mergedFrom === undefined || mergedFrom !== id);

/**
 * The messages of a thread. If many repeated reports follow one another, those between the first and the last are one
 * group.
 */
export type Folded<One> = One | { readonly folded: readonly One[] };

/** The number of repeated reports in a row that are all shown. */
const shownInRow = 3;

/** Groups the repeated reports between the first and the last of a row, if there are many. (rule F39) */
export function foldRepeats<One extends Foldable>(messages: readonly One[]): readonly Folded<One>[] {
  const shown: Folded<One>[] = [];
  let row: One[] = [];
  const endRow = () => {
    const [first, ...more] = row;
    const last = more.pop();
    if (first !== undefined) shown.push(first);
    if (row.length > shownInRow) shown.push({ folded: more });
    else shown.push(...more);
    if (last !== undefined) shown.push(last);
    row = [];
  };
  for (const message of messages) {
    if (isRepeat(message)) row.push(message);
    else {
      endRow();
      shown.push(message);
    }
  }
  endRow();
  return shown;
}

/**
 * Returns the line for a group of repeated reports: how many there are, and how many of them have a text other than the
 * first report.
 */
export function foldedWords(report: Repeated, repeats: readonly Repeat[]): string {
  const others = repeats.filter((repeat) => differenceOf(report, repeat).text !== undefined).length;
  if (others === 0) return `${countOf(repeats.length, "more report")} with the same text`;
  return `${countOf(repeats.length, "more report")}, ${others} of them with other text`;
}

/** Returns the CI runs of the first and the last of these repeated reports, from their metadata. */
export function runsOf(repeats: readonly Repeat[]): string | undefined {
  const [first, last] = [repeats.at(0), repeats.at(-1)].map((repeat) => runOf(repeat?.metadata));
  if (first === undefined || last === undefined) return undefined;
  return first === last ? `run ${first}` : `runs ${first} to ${last}`;
}

/** Returns the CI run of a report. `feedback send` adds `runUrl` in CI; other tools write a number. */
function runOf(metadata: Message["metadata"]): string | undefined {
  const { runUrl, run, runId, buildNumber } = metadata ?? {};
  const inAddress = typeof runUrl === "string" ? /(\d+)\/?$/.exec(runUrl)?.[1] : undefined;
  const given = [run, runId, buildNumber].find(
    (value) => typeof value === "string" || typeof value === "number",
  );
  const name = inAddress ?? given;
  return name === undefined ? undefined : String(name).slice(0, 40);
}
