/** The types of changes, in the order of Keep a Changelog. */
export const changeTypes = ["added", "changed", "deprecated", "removed", "fixed", "security"] as const;

export type ChangeType = (typeof changeTypes)[number];

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
