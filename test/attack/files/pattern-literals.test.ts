import { analyse } from "scslre";
import { expect, it } from "vitest";
import { type Pattern, patternsIn } from "../../support/sources/patterns.ts";
import { readTree } from "../../support/sources/tree.ts";

/** Patterns whose time may grow faster than the length of the text, and the reason why their texts are short. */
const bounded: Readonly<Record<string, string>> = {
  "server/content/faqs/page/list.tsx": "600 characters of an answer",
  "server/dev/clock.ts": "only what a pattern of whole parts took, on a server for development",
  "server/access/sign-in/rules.ts": "500 characters of the header",
  "server/erasure/rules.ts": "256 characters before a sign",
  "server/http/body/strict-json.ts": "a number of a bounded length",
  "server/feedback/inbox/lists.ts": "the length of a line in the list",
  "server/secrets/age.ts": "the base64 of a few bytes, written here",
  "src/contract/files.ts": "the first bytes of a file",
};

const patterns = patternsIn(readTree(["server", "src/contract", "mcp"], [".ts", ".tsx"]));

/** Whether a search may take time that grows faster than the text. */
const isSlow = ({ source, flags }: Pick<Pattern, "source" | "flags">): boolean =>
  analyse({ source, flags }, { reportTypes: { Move: !flags.includes("y"), Self: true, Trade: true } }).reports
    .length > 0;

const slow = patterns.filter(isSlow);

it("every regular expression for texts of strangers needs only time in proportion to the text, or its text is short", () => {
  expect(patterns.length).toBeGreaterThan(300);
  expect(slow.filter(({ file }) => !(file in bounded))).toEqual([]);
});

it("every exception in the list of regular expressions is needed", () => {
  const files = new Set(slow.map(({ file }) => file));
  expect(Object.keys(bounded).filter((file) => !files.has(file))).toEqual([]);
});

it.each([
  ["^\\s*(identity)?\\s*$", "two repeats beside each other"],
  ["([ \\t]*)\\{name\\}", "a repeat before a sign"],
  ["^(a+)+$", "a repeat in a repeat"],
])("the check finds %s as a slow regular expression: %s", (source) => {
  expect(isSlow({ source, flags: "" })).toBe(true);
});
