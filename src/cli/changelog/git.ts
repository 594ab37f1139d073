import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { feedbackIdsIn } from "../../contract/content-text.ts";
import { limits } from "../../contract/limits.ts";
import { ciTag } from "../core/ci.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { type Described, isPreRelease, versionOfTag } from "./entry.ts";
import { type ChangeType, changeTypes, isOfTools } from "./notes/change-type.ts";
import type { Item, Notes } from "./notes/release-notes.ts";

/** The range of commits to read, and the types of commits to omit. */
export interface GitRange {
  readonly from?: string;
  readonly to?: string;
  readonly without: readonly string[];
}

/** Creates notes from the commits between two tags. Throws a usage error for a missing tag. */
export async function describeCommits(invocation: Invocation, range: GitRange): Promise<Described> {
  const { env } = invocation.context;
  await assertRepository(invocation);
  const to = range.to ?? ciTag(env) ?? (await newestTag(invocation, ["HEAD"]));
  if (to === undefined)
    throw usageError(
      "This repository has no tag.",
      `Name the last commit and the version, such as --to HEAD --version 1.0.0. ${shallow}`,
    );
  await commitOf(invocation, "--to", to);
  const from = range.from ?? (await newestTag(invocation, [...ofSameKind(to), `${to}^`]));
  if (from !== undefined) await commitOf(invocation, "--from", from);
  const span = from === undefined ? to : `${from}..${to}`;
  const commits = await commitsIn(invocation, span);
  const version = await versionAt(invocation, to);
  const date = (await git(invocation, ["log", "-1", "--format=%cI", "--end-of-options", to])).trim();
  return {
    releases: [
      {
        ...(version !== undefined && { version }),
        ...(version === undefined && { draftReason: "it is not released yet" }),
        place: span,
        date,
        isPreRelease: version !== undefined && isPreRelease(version),
        notes: notesOfCommits(commits, range.without),
      },
    ],
    remarks: commits.length === 0 ? [`There are no commits in ${span}.`] : [],
  };
}

async function assertRepository(invocation: Invocation): Promise<void> {
  await git(invocation, ["rev-parse", "--git-dir"]).catch((error: unknown) => {
    throw isMissing(error)
      ? error
      : usageError("This folder is not a Git repository, or Git does not trust it.");
  });
}

/** Returns the version of a tag. Returns undefined for a branch or a commit. */
async function versionAt(invocation: Invocation, to: string): Promise<string | undefined> {
  const name = to.replace(/^refs\/tags\//, "");
  const found = await git(invocation, ["tag", "--list", "--", escaped(name)]);
  return found.trim() === "" ? undefined : versionOfTag(name);
}

const escaped = (name: string): string => name.replace(/[*?[\\]/g, "\\$&");

/**
 * Returns `git describe` options for tags of the same package. Excludes pre-releases, unless `tag` is a
 * pre-release.
 */
function ofSameKind(tag: string): string[] {
  const version = versionOfTag(tag);
  const prefix = tag.replace(/^refs\/tags\//, "").slice(0, -version.length);
  if (!/^\d/.test(version)) return [];
  const releases = isPreRelease(version) ? [] : ["--exclude", `${escaped(prefix)}[0-9]*-*`];
  return ["--match", `${escaped(prefix)}[0-9]*`, ...releases];
}

/** Returns the newest tag that `git describe` finds with `words`. Throws if git is missing. */
async function newestTag(invocation: Invocation, words: readonly string[]): Promise<string | undefined> {
  try {
    return (await git(invocation, ["describe", "--tags", "--abbrev=0", ...words])).trim();
  } catch (error) {
    if (isMissing(error)) throw error;
    return undefined;
  }
}

async function commitOf(invocation: Invocation, flag: string, name: string): Promise<void> {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  await git(invocation, asked).catch((error: unknown) => {
    if (isMissing(error)) throw error;
    throw usageError(`${flag}: this repository has no tag or commit ${name}.`, shallow);
  });
}

const shallow = "A CI job often fetches no tags. Set `fetch-depth: 0` on GitHub or GIT_DEPTH=0 on GitLab.";

const [part, end] = ["\x1f", "\x1e"];

async function commitsIn(invocation: Invocation, span: string): Promise<Commit[]> {
  const format = `--format=%H${part}%s${part}%b${end}`;
  const log = await git(invocation, ["log", "--no-merges", format, "--end-of-options", span, "--"]);
  return log
    .split(end)
    .map((text) => text.trim().split(part))
    .flatMap(([hash = "", subject = "", body = ""]) => (hash === "" ? [] : [{ hash, subject, body }]));
}

const run = promisify(execFile);

const isMissing = (error: unknown): boolean => error instanceof CliError && error.code === "git_missing";

/**
 * Runs Git in the working folder and returns its output. If Git fails, throws an error with Git's message.
 */
async function git({ context }: Invocation, words: readonly string[]): Promise<string> {
  try {
    const options = { cwd: context.cwd, maxBuffer: 67_108_864, signal: context.signal };
    return (await run("git", [...words], options)).stdout;
  } catch (cause) {
    const { code, stderr } = Object(cause);
    if (code === "ENOENT")
      throw new CliError({
        exit: "usage",
        code: "git_missing",
        message: "`git` is not installed here.",
      });
    const said = String(stderr ?? "").trim();
    throw usageError(`git ${words[0]} failed: ${said || cause}`);
  }
}

interface Commit {
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

/** Creates notes from `commits`, newest first. Omits commits of types in `without`, except breaking changes. */
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

/** Returns the changes of a commit. A squashed commit lists the original commits in its body. */
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
