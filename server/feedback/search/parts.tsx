import type { FoundLine, SearchFacts } from "../../../src/contract/threads.ts";
import {
  logicWordsText,
  markedInWords,
  missingValueText,
  unknownValueText,
} from "../../../src/words/thread.ts";
import { Line, MarkedLine } from "../../console/parts.tsx";
import { nameIn, statusNames } from "../threads/badges.tsx";

const places: Readonly<Record<string, string>> = {
  report: "Report",
  repeat: "Repeat",
  answer: "Answer",
  reply: "Reply",
  note: "Note",
  plan: "Plan",
  sender: "Sender",
  tag: "Tag",
  file: "File",
  metadata: "Metadata",
  source: "Source",
};

/** The line of a thread that contains the searched words. Shows nothing if the words are in the subject. */
export const FoundText = ({ found }: { readonly found: FoundLine }) =>
  found.in === "subject" ? null : (
    <p class="last">
      <b>{`${nameIn(places, found.in)}: `}</b>
      <MarkedLine {...(found.in === "reply" ? markedInWords(found) : found)} />
    </p>
  );

/** The subject of a thread. Found words in it are highlighted. */
export const FoundSubject = ({
  subject,
  found,
}: {
  readonly subject: string;
  readonly found: FoundLine | null | undefined;
}) =>
  found?.in === "subject" && found.text === subject ? (
    <MarkedLine text={subject} marks={found.marks} />
  ) : (
    <Line text={subject} />
  );

type Count = SearchFacts["counts"]["open"];

/** Returns the sum of the counts. The sum ends with `+` if one of the counts ends with `+`. */
export function totalOf({ open, in_progress, resolved, archived }: SearchFacts["counts"]): Count {
  const counts = [open, in_progress, resolved, archived];
  const sum = counts.reduce<number>((total, count) => total + Number.parseInt(String(count), 10), 0);
  return counts.some((count) => typeof count === "string") ? `${sum}+` : sum;
}

/** Links that show only the found threads of one status, with the number of these threads. */
export const FoundStatuses = ({
  counts,
  status,
  address,
}: {
  readonly counts: SearchFacts["counts"] | undefined;
  readonly status: string;
  readonly address: (status: string) => string;
}) => {
  const pills: readonly (readonly [string, string, Count | undefined])[] = [
    ["all", "All", counts && totalOf(counts)],
    ["open", nameIn(statusNames, "open"), counts?.open],
    ["in_progress", nameIn(statusNames, "in_progress"), counts?.in_progress],
    ["resolved", nameIn(statusNames, "resolved"), counts?.resolved],
    ["archived", nameIn(statusNames, "archived"), counts?.archived],
  ];
  return (
    <nav class="pills" aria-label="Status">
      {pills.map(([name, label, count]) => (
        <a key={name} href={address(name)} aria-current={status === name ? "page" : undefined}>
          {label}
          {count !== undefined && ` ${count}`}
        </a>
      ))}
    </nav>
  );
};

/** Hints about a search, such as unknown operators, missing tags, a corrected query or an incomplete index. */
export const SearchHints = ({
  q,
  facts,
  address,
}: {
  readonly q: string;
  readonly facts: SearchFacts | undefined;
  readonly address: (q: string) => string;
}) => (
  <>
    {facts?.unknownValues?.map((unknown, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same operator may be there twice
      <p key={at} class="hint">
        <Line text={unknownValueText(unknown)} />
      </p>
    ))}
    {facts?.missing?.map((missing) => (
      <p key={`${missing.operator}:${missing.value}`} class="hint">
        <Line text={missingValueText(missing)} />
      </p>
    ))}
    {logicWordsText(q) !== undefined && <p class="hint">{logicWordsText(q)}</p>}
    {facts?.didYouMean != null && (
      <p class="hint">
        Did you mean{" "}
        <a href={address(facts.didYouMean)}>
          <Line text={facts.didYouMean} />
        </a>
        ?
      </p>
    )}
    {facts?.indexing === true && (
      <p class="hint">The search index is being built. Until that is done, older feedback may be missing.</p>
    )}
  </>
);
