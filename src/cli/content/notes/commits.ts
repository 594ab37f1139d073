import { feedbackIdsIn } from "../../../contract/feedback-lines.ts";
import { limits } from "../../../contract/limits.ts";
import type { ChangeType } from "./change-type.ts";
import type { Item, Notes } from "./release-notes.ts";

export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
}

/** The types of conventional commits; all others are `changed`. */
const types: Readonly<Record<string, ChangeType>> = {
  feat: "added",
  feature: "added",
  fix: "fixed",
  bugfix: "fixed",
  security: "security",
  deprecate: "deprecated",
  remove: "removed",
};

const titles: readonly ChangeType[] = ["added", "changed", "deprecated", "removed", "fixed", "security"];

/**
 * The notes of some commits, newest first as `git log` gives them. Commits of a type in `without` are left out unless they
 * break something, and so is a commit together with the one that reverts it.
 */
export function notesOfCommits(commits: readonly Commit[], without: readonly string[] = []): Notes {
  const changes = standing(commits)
    .toReversed()
    .flatMap((commit) => changesOf(commit, without));
  const items = changes.slice(0, limits.changelogItems).map(({ type, text }) => ({ type, text: cut(text) }));
  const parts = titles.flatMap((type) => {
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

/** The commits without those that were reverted in between, and without their reverts. */
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

function changesOf({ subject, body }: Commit, without: readonly string[]): Item[] {
  const [, word = "", scope, mark, text] = /^(\p{L}+)(?:\(([^)]*)\))?(!)?:\s+(.+)$/u.exec(subject) ?? [];
  const breaking = [...body.matchAll(/^BREAKING[ -]CHANGE:\s*(.+(?:\n(?![\w-]+:|\n).+)*)/gm)].map(
    ([, why = ""]): Item => ({ type: "changed", text: `Breaking: ${why.replace(/\s+/g, " ").trim()}` }),
  );
  if (text === undefined) return [{ type: "changed", text: subject }, ...breaking];
  if (without.includes(word.toLowerCase()) && !mark) return breaking;
  const type = types[word.toLowerCase()] ?? "changed";
  const whole = scope ? `${scope}: ${text}` : text;
  return [{ type, text: mark && breaking.length === 0 ? `Breaking: ${whole}` : whole }, ...breaking];
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= limits.changelogItem
    ? text
    : `${characters.slice(0, limits.changelogItem - 1).join("")}…`;
}
