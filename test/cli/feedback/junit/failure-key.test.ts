import { describe, expect, it } from "vitest";
import {
  failureKey,
  moreKey,
  normalised,
  passedPrefix,
  testHash,
} from "../../../../src/cli/feedback/junit/failure.ts";
import { mergeTests } from "../../../../src/cli/feedback/junit/read-reports.ts";
import type { TestResult } from "../../../../src/cli/feedback/junit/test-result.ts";

const folder = "/work/app";
const failure = { type: "AssertionError", message: "expected 3 to be 4", text: "" };
const made = (traits: Partial<TestResult> = {}): TestResult => ({
  ...{ suite: "cart", className: "Cart", name: "adds", outcome: "failed", failures: [failure] },
  ...{ failedReruns: 0, file: undefined, line: undefined, seconds: 1, attachments: [], report: "a.xml" },
  ...traits,
});
const key = (traits: Partial<TestResult> = {}) => failureKey(made(traits), folder);
const keyOf = (message: string, text = "", name = "adds") =>
  key({ name, failures: [{ type: "AssertionError", message, text }] });

describe("the key of a failure", () => {
  it("begins with the hash of the test, as the keys of all failures of this test do", () => {
    expect(key()).toMatch(/^junit:[0-9a-f]{32}:[0-9a-f]{32}$/);
    expect(key().startsWith(passedPrefix(testHash(made(), folder)))).toBe(true);
    expect(keyOf("other failure").startsWith(passedPrefix(testHash(made(), folder)))).toBe(true);
    expect(keyOf("other failure")).not.toBe(key());
  });

  it("begins differently for a flaky failure", () => {
    expect(key({ outcome: "flaky" })).toBe(key().replace("junit:", "junit-flaky:"));
  });

  it.each([
    ["suite", { suite: "other" }],
    ["class", { className: "Other" }],
    ["name", { name: "adds 2" }],
  ])("differs if the %s differs", (_, traits) => {
    expect(key(traits)).not.toBe(key());
  });

  it("differs for names that are equal only if they are joined", () => {
    expect(key({ suite: "a", className: "b:c" })).not.toBe(key({ suite: "a:b", className: "c" }));
  });

  it.each<[string, Partial<TestResult>, Partial<TestResult>]>([
    ["checkout", { suite: "/work/app/test/a.ts" }, { suite: "test/a.ts" }],
    ["kind of slash", { className: "test\\a.ts" }, { className: "test/a.ts" }],
    ["address of an object", { name: "t[<A at 0x7f00aa>]" }, { name: "t[<A at 0x7f11bb>]" }],
    ["colour", { name: "\u001b[1madds\u001b[0m" }, { name: "adds" }],
    [
      "id",
      { name: "a 0197b3a0-0000-7000-8000-000000000001" },
      { name: "a 0197b3a0-0000-7000-8000-000000000002" },
    ],
  ])("stays equal if only this differs: %s", (_, one, other) => {
    expect(key(one)).toBe(key(other));
  });

  it.each([
    ["number", "expected 3 to be 4", "expected 17 to be 4.5e3"],
    ["duration", "timed out after 5000ms", "timed out after 5 s"],
    ["instant", "at 2026-11-22T10:00:00.123Z: no", "at 2025-01-02 03:04:05: no"],
    ["clock time", "at 10:00 no", "at 23:59:59.5 no"],
    ["path", "ENOENT: open '/home/runner/a/b.json'", "ENOENT: open 'C:\\agent\\b.json'"],
    ["address of memory", "segfault at 0xdeadbeef", "segfault at 0x00000010"],
    ["hash", "commit c0ffee1234 is gone", "commit 5de0b4a77aa is gone"],
    ["id", "no user 0197b3a0-0000-7000-8000-000000000001", "no user 11111111-2222-3333-4444-555555555555"],
    ["colour", "\u001b[31mno\u001b[39m way", "no way"],
    ["kind of white space", "no\r\n  way", "no way"],
    ["address of a server", "http://127.0.0.1:41233/x refused", "http://127.0.0.1:52111/y refused"],
  ])("stays equal if only this differs: %s", (_, one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  it.each([
    ["a word", "expected true", "expected false"],
    ["a kind of error", "TypeError: x", "RangeError: x"],
    ["the order of words", "a is not b", "b is not a"],
  ])("differs if this differs: %s", (_, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  const stack = "\n    at f (/a/b.js:1:2)\n    at process.processTicks (node:internal:95:5)";
  it.each([
    ["", "got 4, want 3"],
    ["Failed", "got 4, want 3"],
    ["a.spec.ts:5:3 adds", "  [chromium] › a.spec.ts:5:3 › adds ────\n\n got 4, want 3"],
    ["AssertionError", "got 4, want 3"],
    ["collection failure", "got 4, want 3"],
  ])("is made from the text if the message is `%s`", (message, text) => {
    expect(keyOf(message, text + stack)).toBe(keyOf(message, text.replaceAll("4", "5")));
    expect(keyOf(message, text + stack)).not.toBe(keyOf(message, text.replaceAll("want", "need") + stack));
  });

  it("is equal for several failures in any order", () => {
    const other = { type: "TimeoutError", message: "no answer", text: "" };
    expect(key({ failures: [failure, other] })).toBe(key({ failures: [other, failure] }));
  });

  it("exists for a failure without a text", () => {
    expect(key({ failures: [{ type: "", message: "", text: "" }] })).toMatch(/^junit:/);
    expect(key({ failures: [] })).toMatch(/^junit:/);
  });

  it("is computed quickly for a hostile text", () => {
    const long = ["a".repeat(1_000_000), "1".repeat(1_000_000), "0x".repeat(500_000), "a/".repeat(500_000)];
    for (const text of long) expect(keyOf(text, text, text)).toMatch(/^junit:/);
  });
});

describe("the key of the summary of many failures", () => {
  it("is made from the patterns of the files, in any order", () => {
    expect(moreKey(["b", "a"])).toBe(moreKey(["a", "b"]));
    expect(moreKey(["a"])).not.toBe(moreKey(["b"]));
  });
});

describe("the text of a failure without the parts that differ in each run", () => {
  it("still says what failed", () => {
    expect(normalised("expected 3 items in /home/a/list.json at 10:15, got 0xff")).toBe(
      "expected <number> items in <path> at <time>, got <address>",
    );
  });
});

describe("a test that occurs several times in a JUnit report", () => {
  const outcomes = (...tests: Partial<TestResult>[]) =>
    [...mergeTests(tests.map(made), folder).values()].map(({ outcome }) => outcome);

  it.each([
    [["passed", "failed", "passed"], "failed"],
    [["flaky", "passed"], "flaky"],
    [["skipped", "passed"], "passed"],
    [["skipped", "skipped"], "skipped"],
    [["failed", "flaky"], "failed"],
  ] as const)("with the results %s counts as %s", (given, outcome) => {
    expect(outcomes(...given.map((one) => ({ outcome: one })))).toEqual([outcome]);
  });

  it("keeps the files of all occurrences and every failure", () => {
    const other = { ...failure, message: "other" };
    const [test] = mergeTests(
      [
        made({ attachments: ["a"] }),
        made({ outcome: "passed", attachments: ["b"] }),
        made({ failures: [other] }),
      ],
      folder,
    ).values();
    expect(test).toMatchObject({ attachments: ["a", "b"], failures: [failure, other] });
  });

  it("is not joined with a test of another name", () => {
    expect(outcomes({}, { name: "other" })).toHaveLength(2);
  });
});
