/** The types of changes, in the order of Keep a Changelog. */
export const changeTypes = ["added", "changed", "deprecated", "removed", "fixed", "security"] as const;

export type ChangeType = (typeof changeTypes)[number];

/**
 * The type of change for each heading that tools write. The headings are in lower case, without punctuation and emoji.
 */
const headings = new Map<string, ChangeType>([
  // Headings of Keep a Changelog.
  ...changeTypes.map((type) => [type, type] as const),
  // Headings of conventional-changelog, release-please and semantic-release.
  ["features", "added"],
  ["bug fixes", "fixed"],
  ["performance improvements", "changed"],
  ["breaking changes", "changed"],
  ["reverts", "changed"],
  ["dependencies", "changed"],
  // Headings of changesets.
  ["major changes", "changed"],
  ["minor changes", "added"],
  ["patch changes", "fixed"],
  // Headings in the release notes that GitHub writes.
  ["exciting new features", "added"],
  ["what's changed", "changed"],
  ["other changes", "changed"],
]);

/**
 * Matches headings of changes that do not concern the users of an app. They come from conventional-changelog, from the
 * types of commits, from GitHub and from auto-changelog.
 */
const hidden =
  /^(?:(?:miscellaneous )?chores?|docs|documentation|styles?|(?:code )?refactor(?:ing)?|tests?|build(?: system)?|ci|continuous integration|new contributors|commits)$/;

/** The first words that show the type of a change, as in `fix(list)!: …` or `Fix the list`. */
const words: Readonly<Record<ChangeType, readonly string[]>> = {
  added: ["feat", "feature", "add", "adds", "added", "introduce", "introduces", "new"],
  changed: [
    ...["change", "changes", "changed", "update", "updates", "updated", "improve", "improves", "improved"],
    ...["perf", "refactor", "revert", "reverts", "reverted", "rename", "move", "breaking"],
  ],
  deprecated: ["deprecate", "deprecates", "deprecated"],
  removed: ["remove", "removes", "removed"],
  fixed: ["fix", "fixes", "fixed", "bugfix", "hotfix", "resolve", "resolves", "resolved"],
  security: ["security"],
};

const byWord = new Map(changeTypes.flatMap((type) => words[type].map((word) => [word, type] as const)));

/** Returns the type of the changes under a heading. Returns undefined if the heading names no type. */
export const typeOfHeading = (text: string): ChangeType | undefined => headings.get(wordsOf(text));

export const isHiddenHeading = (text: string): boolean => hidden.test(wordsOf(text));

export const isBreakingHeading = (text: string): boolean => wordsOf(text) === "breaking changes";

/**
 * Whether a heading only names the size of the changes. Under such a heading, the first word of a change shows its
 * type.
 */
export const isSizeHeading = (text: string): boolean =>
  /^(?:(?:major|minor|patch|other) changes|what's changed)$/.test(wordsOf(text));

/** Returns the words of a heading in lower case, without punctuation and signs such as `⚠`. */
const wordsOf = (text: string): string =>
  text
    .replace(/[^\p{L}' ]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Returns the type and the text of a change from a line such as `fix(list)!: …` or `Fix the list`. */
export function labelledChange(text: string): { type: ChangeType; text: string } | undefined {
  const [, label = "", rest = ""] = /^(\p{L}+)(?:\([^)]*\))?!?:\s+(.+)$/su.exec(text) ?? [];
  const labelled = byWord.get(label.toLowerCase());
  if (labelled) return { type: labelled, text: rest };
  const verb = byWord.get(/^(\p{L}+)\s/u.exec(text)?.[1]?.toLowerCase() ?? "");
  return verb && { type: verb, text };
}

/**
 * Patterns of texts that bots and tools write about dependencies, merges and releases. They match lower case only.
 */
const ofTools = [
  /^updated dependencies\b/,
  /^bump \S+(?: and \S+)? from \S+ to /,
  /^(?:update|pin) (?:dependency \S+ to |all (?:non-major )?dependencies\b)/,
  /\sby @[\w-]+\[bot\](?:\s|$)/,
  /^(?:releases? v?\d+\.\d+\S*|merge (?:pull request #\d|(?:remote-tracking )?branch '|tag ').*)$/,
];

/** The prefix that bots write before a text about dependencies, such as `chore(deps): `. */
const ofDependencies = /^(?:(?:chore|build|fix|ci)\([\w-]*deps[\w-]*\)|deps(?:-\w+)?): /;

/** Whether a tool or bot wrote the text. Such a text does not concern the users of an app. */
export function isOfTools(text: string): boolean {
  const plain = text.toLowerCase().replace(ofDependencies, "");
  return ofTools.some((pattern) => pattern.test(plain));
}

/**
 * Whether a change does not concern the users of an app, because a tool wrote it or the type of its commit is internal.
 */
export const isHiddenChange = (text: string): boolean =>
  isOfTools(text) || /^(?:chore|ci|docs|tests?|build|style|refactor)(?:\([^)]*\))?: /i.test(text);

/**
 * Patterns of the parts that tools add before or after the text of a change. The code removes the parts in this order.
 */
const around = [
  // The tool changesets adds the pull request, the commit and the people to thank, or only the commit.
  /^(?:#\d+\s+)?(?:[0-9a-f]{7,40}\s+)?Thanks (?:@[\w-]+(?:, (?:and )?| and )?)+!\s*-\s*/,
  /^[0-9a-f]{7,40}: /,
  // GitHub adds the author and the pull request.
  /\s+by @[\w[\]-]+ in (?:https?:\/\/\S+|#\d+)$/,
  // conventional-changelog adds the closed issues, the pull request and the commits.
  /(?:,?\s+(?:closes|closed|fixes|fixed|resolves|resolved)(?:,?\s+(?:and\s+)?[\w./-]*#\d+)+)+\.?$/i,
  /(?:\s+\(#\d+\))?(?:,?\s*\([0-9a-f]{7,40}(?:, [0-9a-f]{7,40})*\))+$/,
  // auto-changelog adds the commit.
  /\s+(?=[a-f]*\d)[0-9a-f]{7,40}$/,
];

/** Returns the text of a change without the parts that tools add before and after it. */
export const withoutToolMarks = (text: string): string =>
  around.reduce((rest, pattern) => rest.replace(pattern, ""), text).trim();
