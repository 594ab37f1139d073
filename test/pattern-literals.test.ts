import { analyse } from "scslre";
import { expect, it } from "vitest";
import { type Pattern, patternsIn } from "./support/sources/patterns.ts";
import { readTree } from "./support/sources/tree.ts";

interface Exception {
  readonly file: string;
  readonly pattern: RegExp;
  /** The length of the texts for this pattern, or their origin. It must hold for all texts of a request together. */
  readonly bound: string;
}

const notes = "src/cli/changelog/notes";
const ownText = "a line of the changelog or of a commit of the own project";

/** Patterns whose time may grow faster than the length of the text. */
const bounded: readonly Exception[] = [
  {
    file: "server/access/sign-in/rules.ts",
    pattern: /\bVersion\/[\d.]+.* Safari\//,
    bound: "500 characters of the header",
  },
  {
    file: "server/content/faqs/page/list.tsx",
    pattern: /!?\[([^\]]*)\]\([^)]*\)/,
    bound: "600 characters of an answer",
  },
  {
    file: "server/dev/clock.ts",
    pattern: /(\d+)([wdhms])/,
    bound: "only what a pattern of whole parts took, on a server for development",
  },
  { file: "server/erasure/rules.ts", pattern: /[^\s@]+$/, bound: "256 characters before a sign" },
  {
    file: "src/cli/changelog/entry.ts",
    pattern: /(?:^|[/@_-])v?(\d+(?:\.\d+)+[0-9A-Za-z.+-]*)$/,
    bound: "the name of a tag",
  },
  {
    file: `${notes}/change-type.ts`,
    pattern: /^(?:releases? v?\d+\.\d+\S*|merge (?:pull request #\d|(?:remote-tracking )?branch '|tag ').*)$/,
    bound: ownText,
  },
  {
    file: `${notes}/changelog-file.lazy.ts`,
    pattern: /^\[?(?:(?:version|release) )?\[?v?(\d+(?:\.\d+)+(?:[0-9A-Za-z.+-]*[0-9A-Za-z])?)\]?(.*)$/,
    bound: ownText,
  },
  {
    file: `${notes}/changelog-file.lazy.ts`,
    pattern: /^\s*[,|–—-]?\s*(?:\((?:build )?\d+\)|build \d+)(?![\d.])/,
    bound: ownText,
  },
  {
    file: `${notes}/changelog-file.lazy.ts`,
    pattern: /^[\s:,/|–—"“”'-]+|[\s:,/|–—"“”'-]+$/,
    bound: ownText,
  },
  {
    file: `${notes}/changesets.lazy.ts`,
    pattern: /^(["']?)[^"':]+\1\s*:\s*["']?(\w+)["']?$/,
    bound: ownText,
  },
  {
    file: "src/cli/changelog/git.ts",
    pattern: /^(\p{L}+)(?:\(([^)]*)\))?(!)?:\s+(.+)$/u,
    bound: ownText,
  },
  { file: "src/cli/changelog/git.ts", pattern: /^[*-]\s+(.+)$/, bound: ownText },
  {
    file: `${notes}/release-notes.ts`,
    pattern: /^(\p{L}+)(?:\([^)]*\))?!?:\s+(.+)$/u,
    bound: ownText,
  },
  {
    file: `${notes}/release-notes.ts`,
    pattern: /\s+by @[\w[\]-]+ in (?:https?:\/\/\S+|#\d+)$/,
    bound: ownText,
  },
  {
    file: `${notes}/release-notes.ts`,
    pattern: /(?:,?\s+(?:closes|closed|fixes|fixed|resolves|resolved)(?:,?\s+(?:and\s+)?[\w./-]*#\d+)+)+\.?$/,
    bound: ownText,
  },
  {
    file: `${notes}/release-notes.ts`,
    pattern: /(?:\s+\(#\d+\))?(?:,?\s*\([0-9a-f]{7,40}(?:, [0-9a-f]{7,40})*\))+$/,
    bound: ownText,
  },
  { file: `${notes}/release-notes.ts`, pattern: /\s+(?=[a-f]*\d)[0-9a-f]{7,40}$/, bound: ownText },
  {
    file: "src/cli/feedback/junit/parse.lazy.ts",
    pattern: /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/,
    bound: "10,000 characters of the last tag of a file",
  },
];

const patterns = patternsIn(readTree(["server", "src", "mcp"], [".ts", ".tsx"]));

const isException = ({ file, source }: Pattern): boolean =>
  bounded.some((exception) => exception.file === file && exception.pattern.source === source);

/** Whether a search may take time that grows faster than the text. */
const isSlow = ({ source, flags }: Pick<Pattern, "source" | "flags">): boolean =>
  analyse({ source, flags }, { reportTypes: { Move: !flags.includes("y"), Self: true, Trade: true } }).reports
    .length > 0;

const slow = patterns.filter(isSlow);

it("every regular expression needs only time in proportion to the text, or its text is short", () => {
  expect(patterns.length).toBeGreaterThan(700);
  expect(slow.filter((pattern) => !isException(pattern))).toEqual([]);
});

it("every exception in the list of regular expressions is needed", () => {
  const isUsed = ({ file, pattern }: Exception) =>
    slow.some((one) => one.file === file && one.source === pattern.source);
  expect(bounded.filter((exception) => !isUsed(exception))).toEqual([]);
});

it.each([
  ["^\\s*(identity)?\\s*$", "two repeats beside each other"],
  ["([ \\t]*)\\{name\\}", "a repeat before a sign"],
  ["^(a+)+$", "a repeat in a repeat"],
  ["\\r+\\n", "a repeat of carriage returns"],
  ["(\\d+)\\/?$", "a repeat before the end"],
])("the check finds %s as a slow regular expression: %s", (source) => {
  expect(isSlow({ source, flags: "" })).toBe(true);
});
