export type ChangeType = "added" | "changed" | "deprecated" | "removed" | "fixed" | "security";

/** The usual headings of each type of change, in lower case and without signs. */
const headings: Readonly<Record<ChangeType, readonly string[]>> = {
  added: [
    "added",
    "add",
    "additions",
    "new",
    "new features",
    "features",
    "feature",
    "what's new",
    "minor changes",
  ],
  changed: [
    ...["changed", "changes", "change", "improved", "improvements", "enhancements", "updated", "updates"],
    ...["performance", "performance improvements", "breaking changes", "breaking change", "breaking"],
    ...["reverts", "reverted", "major changes", "dependencies"],
  ],
  deprecated: ["deprecated", "deprecations", "deprecates"],
  removed: ["removed", "removals", "remove", "removes"],
  fixed: ["fixed", "fix", "fixes", "bug fixes", "bugfixes", "bug fix", "bugs", "bugs fixed", "patch changes"],
  security: ["security", "security fixes"],
};

const types: readonly ChangeType[] = ["added", "changed", "deprecated", "removed", "fixed", "security"];

const byHeading = new Map(types.flatMap((type) => headings[type].map((heading) => [heading, type] as const)));

/** The words that open a change without a heading, in any form: `Fix the list`, `feat(maps): …`. */
const byWord = new Map<string, ChangeType>([
  ...byHeading,
  ...["feat", "adds", "introduce", "introduces"].map((word) => [word, "added"] as const),
  ...["bugfix", "hotfix", "resolve", "resolves", "resolved"].map((word) => [word, "fixed"] as const),
  ...["deprecate"].map((word) => [word, "deprecated"] as const),
  ...["perf", "refactor", "revert", "update", "improve", "improves", "changes", "rename", "move"].map(
    (word) => [word, "changed"] as const,
  ),
]);

/** The type of the changes under a heading; undefined for any other heading. */
export const typeOfHeading = (text: string): ChangeType | undefined =>
  byHeading.get(wordsOf(text)) ?? (isMixedHeading(text) ? "changed" : undefined);

/** Headings of tools for what an app's users do not see. */
const hidden =
  /^(?:miscellaneous )?(?:chores?|tests?|styles?|docs|documentation|build(?: system)?|ci|continuous integration|code refactoring|refactors?|refactoring|internal|maintenance|housekeeping|miscellaneous|miscellaneous tasks|new contributors|contributors|commits)$/;

export const isHiddenHeading = (text: string): boolean => hidden.test(wordsOf(text));

/** Whether a heading stands over changes of all types, as GitHub writes it: the words of each change say its type. */
const isMixedHeading = (text: string): boolean => /^(?:what's changed|other changes)$/.test(wordsOf(text));

/** What a tool or a conventional commit calls a change that an app's users do not see. */
export const isHiddenChange = (text: string): boolean =>
  /^(?:updated dependencies\b|(?:(?:chore|build|fix)\(deps[\w-]*\): )?bump \S+(?: and \S+)? from \S+ to |(?:chore|ci|docs|tests?|build|style|refactor)(?:\([^)]*\))?: )/i.test(
    text,
  );

/** Whether the changes under a heading break something. */
export const isBreakingHeading = (text: string): boolean => /^breaking(?: changes?)?$/.test(wordsOf(text));

/** Whether a heading says how large the changes are, as changesets writes it: the words of each change are more exact. */
export const isSizeHeading = (text: string): boolean =>
  /^(?:major|minor|patch) changes$/.test(wordsOf(text)) || isMixedHeading(text);

const wordsOf = (text: string): string =>
  text
    .replaceAll("’", "'")
    .replace(/[^\p{L}\p{N}' ]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** The change and its type of a line such as `Fixed: the list`, `[NEW] Maps`, `fix(list)!: …` or `Fix the list`. */
export function labelledChange(text: string): { type: ChangeType; text: string } | undefined {
  const [, bracketed, labelled, rest = ""] =
    /^(?:\[([\p{L} ]+)\]:?\s*|([\p{L} ]+?)(?:\([^)]*\))?!?(?::|\s[-–—])\s+)(.+)$/su.exec(text) ?? [];
  const label = byWord.get((bracketed ?? labelled ?? "").trim().toLowerCase());
  if (label) return { type: label, text: rest };
  const verb = byWord.get(/^(\p{L}+)\s/u.exec(text)?.[1]?.toLowerCase() ?? "");
  return verb && { type: verb, text };
}
