import type { Message, Thread } from "../contract/agent.ts";

type Report = Partial<Pick<Thread["feedback"], "message" | "metadata">>;
type Repeat = Pick<Message, "body" | "metadata">;

/** A thread, of which the first report is compared with its repeats. */
interface Repeated {
  readonly feedback: Report;
}

/** What a repeat of a report says that the report does not. */
export interface RepeatDifference {
  /** Its text; the lines that differ if most are the same, undefined if all are. */
  readonly text: string | undefined;
  /** Whether `text` holds only the lines that differ. */
  readonly isPartOfText: boolean;
  /** The values that differ, by the names of their fields. A field that only the report has is null. */
  readonly facts: readonly (readonly [name: string, value: unknown])[];
}

/** At least so much of a text must be the same if only its other lines are shown. */
const mostlySame = 0.75;

/** Compares a repeat with the report that it repeats. */
export function differenceOf({ feedback }: Repeated, repeat: Repeat): RepeatDifference {
  const text = textDifference(feedback.message ?? "", repeat.body);
  const before: Readonly<Record<string, unknown>> = feedback.metadata ?? {};
  const after: Readonly<Record<string, unknown>> = repeat.metadata ?? {};
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const facts = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return { ...text, facts: facts.map((name) => [name, after[name] ?? null]) };
}

function textDifference(report: string, repeat: string): Pick<RepeatDifference, "text" | "isPartOfText"> {
  if (report.trim() === repeat.trim()) return { text: undefined, isPartOfText: false };
  const known = new Set(linesOf(report));
  const lines = linesOf(repeat);
  const others = lines.filter((line) => !known.has(line));
  const isPartOfText = others.length > 0 && others.length <= lines.length * (1 - mostlySame);
  return { text: isPartOfText ? others.join("\n") : repeat, isPartOfText };
}

const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trimEnd());

/** Only a report has a type. */
const isRepeat = ({ category }: Pick<Message, "category">): boolean => category !== undefined;

/** Messages of a thread, with the repeats between the first and the last of many in a row together. */
export type Folded<One> = One | { readonly folded: readonly One[] };

/** So many repeats in a row are shown. */
const shownInRow = 3;

/** Folds all repeats in a row but the first and the last one, if there are many. */
export function foldRepeats<One extends Pick<Message, "category">>(
  messages: readonly One[],
): readonly Folded<One>[] {
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

/** What stands in place of folded repeats: how many, and which runs of CI sent them. The instants stand beside it. */
export function foldedWords(report: Repeated, repeats: readonly Repeat[]): string {
  const others = repeats.filter((repeat) => differenceOf(report, repeat).text !== undefined).length;
  if (others === 0) return `${repeats.length} more reports with the same text`;
  return `${repeats.length} more reports, ${others} of them with other text`;
}

/** The runs of CI of the first and the last of these repeats, as their metadata name them. */
export function runsOf(repeats: readonly Repeat[]): string | undefined {
  const [first, last] = [repeats.at(0), repeats.at(-1)].map((repeat) => runOf(repeat?.metadata));
  if (first === undefined || last === undefined) return undefined;
  return first === last ? `run ${first}` : `runs ${first} to ${last}`;
}

/** `runUrl` is what `feedback send` adds in CI; other tools write a number. */
function runOf(metadata: Message["metadata"]): string | undefined {
  const { runUrl, run, runId, buildNumber } = metadata ?? {};
  const inAddress = typeof runUrl === "string" ? /(\d+)\/?$/.exec(runUrl)?.[1] : undefined;
  const given = [run, runId, buildNumber].find(
    (value) => typeof value === "string" || typeof value === "number",
  );
  const name = inAddress ?? given;
  return name === undefined ? undefined : String(name).slice(0, 40);
}
