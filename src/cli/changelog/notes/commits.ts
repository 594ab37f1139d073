import { feedbackIdsIn } from "../../../contract/content-text.ts";
import { limits } from "../../../contract/limits.ts";
import { type ChangeType, changeTypes, isOfTools } from "./change-type.ts";
import type { Item, Notes } from "./release-notes.ts";

export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
}

/** The type of change for each type of a conventional commit. Commits of any other type are `changed`. */
const types: Readonly<Record<string, ChangeType>> = {
  feat: "added",
  feature: "added",
  fix: "fixed",
  bugfix: "fixed",
  security: "security",
  deprecate: "deprecated",
  remove: "removed",
};

/**
 * Creates notes from commits, which must be sorted from newest to oldest as in `git log`. Omits commits of a type in
 * `without`, except breaking changes. Also omits each reverted commit and the commit that reverts it.
 */
export function notesOfCommits(commits: readonly Commit[], without: readonly string[] = []): Notes {
  const changes = standing(commits)
    .toReversed()
    .flatMap((commit) => changesOf(commit, without));
  const items = changes.slice(0, limits.changelogItems).map(({ type, text }) => ({ type, text: cut(text) }));
  const parts = changeTypes.flatMap((type) => {
    const own = changes.filter((change) => change.type === type);
    const list = own.map(({ text }) => `- ${text}`).join("\n");
    return own.length === 0 ? [] : [`### ${type[0]?.toUpperCase()}${type.slice(1)}\n\n${list}`];
  });
  const ids = feedbackIdsIn(commits.map(({ body }) => body).join("\n"));
  const feedback = ids.length === 0 ? [] : [`Feedback: ${ids.join(", ")}`];
  return {
    body: [...parts, ...feedback].join("\n\n"),
    items,
    isList: items.length > 0 && items.length === changes.length,
  };
}

/** Returns the commits that are still in effect. Omits each reverted commit and the commit that reverts it. */
function standing(commits: readonly Commit[]): readonly Commit[] {
  const hashes = commits.map(({ hash }) => hash);
  const gone = new Set<string>();
  for (const { hash, body } of commits) {
    const reverted = /^This reverts commit ([0-9a-f]{7,40})/m.exec(body)?.[1] ?? "";
    const other = reverted === "" ? undefined : hashes.find((one) => one.startsWith(reverted));
    if (other === undefined || gone.has(hash)) continue;
    gone.add(hash).add(other);
  }
  return commits.filter(({ hash }) => !gone.has(hash));
}

const conventional = /^(\p{L}+)(?:\(([^)]*)\))?(!)?:\s+(.+)$/u;

/** Matches emoji before the type of a commit, as in `🐛 fix: …` or `:bug: fix: …`. */
const signs = /^(?:(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u200d\ufe0f\s])+|:[a-z0-9_+-]+:\s*)+/u;

const isRelease = (subject: string): boolean =>
  /^(?:(?:chore|build|ci)\(release\)!?:|(?:chore|build|ci)(?:\([^)]*\))?: releases?\b|release(?:\([^)]*\))?:|releases? v?\d|version packages\b|v?\d+\.\d+\.\d+(?:\s|$))/i.test(
    subject,
  );

/** Whether the commit is a fixup for an earlier commit. `git rebase --autosquash` merges such commits. */
const isUnfinished = (subject: string): boolean => /^(?:fixup|squash|amend)! /.test(subject);

/**
 * Returns the changes of a commit. The body of a squashed commit lists the original commits. So each line of the body
 * in the form of a conventional commit is also a change.
 */
function changesOf(commit: Commit, without: readonly string[]): Item[] {
  const subject = commit.subject.replace(signs, "");
  if (isRelease(subject) || isOfTools(subject) || isUnfinished(subject)) return [];
  const lines = [...commit.body.matchAll(/^[*-]\s+(.+)$/gm)].map(([, line = ""]) =>
    line.trim().replace(signs, ""),
  );
  const joined = lines.filter((line) => isKnownType(line) && !isRelease(line) && line !== subject);
  const own =
    joined.length > 0 && !conventional.test(subject)
      ? breakingOf(commit.body)
      : changesIn({ ...commit, subject }, without);
  return [...own, ...joined.flatMap((line) => changesIn({ ...commit, subject: line, body: "" }, without))];
}

const isKnownType = (line: string): boolean => {
  const word = conventional.exec(line)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(types, word) || otherTypes.has(word);
};

const otherTypes = new Set([
  "chore",
  "docs",
  "style",
  "refactor",
  "perf",
  "test",
  "tests",
  "build",
  "ci",
  "revert",
]);

const breakingOf = (body: string): Item[] =>
  [...body.matchAll(/^BREAKING[ -]CHANGE:\s*(.+(?:\n(?![\w-]+:|\n).+)*)/gm)].map(
    ([, why = ""]): Item => ({ type: "changed", text: `Breaking: ${why.replace(/\s+/g, " ").trim()}` }),
  );

function changesIn({ subject, body }: Commit, without: readonly string[]): Item[] {
  const [, word = "", scope, mark, text] = conventional.exec(subject) ?? [];
  const breaking = breakingOf(body);
  if (text === undefined) return [{ type: "changed", text: subject }, ...breaking];
  if (without.includes(word.toLowerCase()) && !mark) return breaking;
  const type = types[word.toLowerCase()] ?? "changed";
  const what = word.toLowerCase() === "revert" ? `Revert "${text}"` : text;
  const whole = scope ? `${scope}: ${what}` : what;
  return [{ type, text: mark && breaking.length === 0 ? `Breaking: ${whole}` : whole }, ...breaking];
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= limits.changelogItem
    ? text
    : `${characters.slice(0, limits.changelogItem - 1).join("")}…`;
}
