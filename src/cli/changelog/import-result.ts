import type { ImportedChangelogEntry } from "../../contract/changelog.ts";
import type { Invocation } from "../core/context.ts";
import { note, printList } from "../core/output.ts";
import { type DescribedRelease, unreleased } from "./described-release.ts";
import type { EntryFlags } from "./entry.ts";
import { type WrittenReleases, writtenOf } from "./written.ts";

const resultOf = ({ created, changedFields = [] }: ImportedChangelogEntry): string => {
  if (created) return "created";
  return changedFields.length > 0 ? "changed" : "same";
};

/** Shows what became of each version. */
export function showImport(invocation: Invocation, answers: readonly ImportedChangelogEntry[]): void {
  const count = (result: string) => answers.filter((answer) => resultOf(answer) === result).length;
  const [created, changed, same] = [count("created"), count("changed"), count("same")];
  note(
    invocation,
    created + changed === 0
      ? "Nothing to do: the server has all of it."
      : `${created} created, ${changed} changed, ${same} as before.`,
  );
  const columns = [
    { heading: "id", of: ({ id }: ImportedChangelogEntry) => id, isId: true },
    { heading: "version", of: ({ version }: ImportedChangelogEntry) => version },
    { heading: "result", of: resultOf },
    { heading: "published", of: ({ publishedAt }: ImportedChangelogEntry) => publishedAt ?? "draft" },
    { heading: "title", of: ({ title }: ImportedChangelogEntry) => title },
  ];
  printList(invocation, { items: answers, columns });
}

/** A draft of notes that the file no longer has, which no version took over. */
export function tellDraftLeft(
  invocation: Invocation,
  written: WrittenReleases,
  answers: readonly ImportedChangelogEntry[],
): void {
  const draft = writtenOf(written, unreleased);
  if (draft?.publishedAt !== null || answers.some(({ id }) => id === draft.id)) return;
  note(invocation, `The draft ${unreleased} stays as it was: the file has no unreleased notes.`);
}

/** Changesets writes no dates, and some people do not, either. */
export function tellDrafts(
  invocation: Invocation,
  releases: readonly DescribedRelease[],
  flags: EntryFlags,
): void {
  const undated = releases.filter(({ date, draftReason }) => date === undefined && draftReason === undefined);
  if (undated.length === 0 || flags.draft || flags.publishedAt) return;
  const names = undated.map(({ version }) => version).join(", ");
  note(
    invocation,
    `Without a date, these are drafts unless they were published before: ${names}. --published-at gives them one; \`changelog release\` publishes one now.`,
  );
}
