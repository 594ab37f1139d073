/** How bots and tools write of dependencies, merges and releases, in lower case. */
const ofTools = [
  /^updated dependencies\b/,
  /^bump \S+(?: and \S+)? from \S+ to /,
  /^(?:update|pin) (?:dependency \S+ to |all (?:non-major )?dependencies\b)/,
  /\sby @[\w-]+\[bot\](?:\s|$)/,
  /^(?:releases? v?\d+\.\d+\S*|merge (?:pull request #\d|(?:remote-tracking )?branch '|tag ').*)$/,
];

/** The scope that they write before it. */
const ofDependencies = /^(?:(?:chore|build|fix|ci)\([\w-]*deps[\w-]*\)|deps(?:-\w+)?): /;

/** Whether a tool or bot wrote of what concerns no user of an app. */
export function isOfTools(text: string): boolean {
  const plain = text.toLowerCase().replace(ofDependencies, "");
  return ofTools.some((pattern) => pattern.test(plain));
}

/** What a tool or a conventional commit calls a change that an app's users do not see. */
export const isHiddenChange = (text: string): boolean =>
  isOfTools(text) || /^(?:chore|ci|docs|tests?|build|style|refactor)(?:\([^)]*\))?: /i.test(text);

/** What each tool writes around a change, in the order in which it is taken away. */
const around = [
  // changesets: the pull request, the commit and the people to thank; or the commit alone
  /^(?:#\d+\s+)?(?:[0-9a-f]{7,40}\s+)?Thanks (?:@[\w-]+(?:, (?:and )?| and )?)+!\s*-\s*/,
  /^[0-9a-f]{7,40}: /,
  // GitHub: the author and the pull request
  /\s+by @[\w[\]-]+ in (?:https?:\/\/\S+|#\d+)$/,
  // conventional-changelog: the issues that it closes, the pull request and the commits
  /(?:,?\s+(?:closes|closed|fixes|fixed|resolves|resolved)(?:,?\s+(?:and\s+)?[\w./-]*#\d+)+)+\.?$/i,
  /(?:\s+\(#\d+\))?(?:,?\s*\([0-9a-f]{7,40}(?:, [0-9a-f]{7,40})*\))+$/,
  // auto-changelog: the commit
  /\s+(?=[a-f]*\d)[0-9a-f]{7,40}$/,
];

/** A change without what tools write around it. */
export const withoutToolMarks = (text: string): string =>
  around.reduce((rest, pattern) => rest.replace(pattern, ""), text).trim();
