import { describe, expect, it } from "vitest";
import { readChangelogFile } from "../../../src/cli/content/notes/changelog-file.ts";
import { notesOfCommits } from "../../../src/cli/content/notes/commits.ts";
import { inputText } from "../../support/files/inputs.ts";

const releasesIn = async (input: string) => readChangelogFile(await inputText(input)).releases;
const textsIn = async (input: string) =>
  (await releasesIn(input)).map(({ version, notes }) => [version, notes.items.map(({ text }) => text)]);

describe("what tools write around a change", () => {
  it("is left out: hashes and the issues that it closes", async () => {
    expect(await textsIn("changelog-hash-and-closes.md")).toEqual([
      ["1.2.1", ["keep order"]],
      ["1.2.0", ["drop api v1", "new api"]],
    ]);
  });

  it("is left out: dependencies that were updated", async () => {
    const [[, texts = []] = []] = await textsIn("changelog-updated-dependencies.md");
    expect(texts).not.toContainEqual(expect.stringContaining("Updated dependencies"));
    expect(texts).toContainEqual(expect.stringContaining("#5 crash"));
  });

  it("may be the date in a quotation below the heading", async () => {
    const [first] = await releasesIn("changelog-date-in-blockquote.md");
    expect(first).toMatchObject({ version: "2.1.0", day: "2021-01-20" });
    expect(first?.notes.body).not.toContain("January");
    expect(first?.notes.items).toContainEqual({ type: "fixed", text: "fix crash on start" });
  });

  it("may be the number of a build in the heading", () => {
    const { releases } = readChangelogFile("# Version 5.2 (Build 145)\n\n- Fix the list\n");
    expect(releases).toMatchObject([{ version: "5.2", name: "" }]);
  });
});

describe("the changes of commits", () => {
  const items = (subject: string, body = "") =>
    notesOfCommits([{ hash: "a".repeat(40), subject, body }]).items;

  it("are the conventional lines of a commit that joins several", () => {
    const body = "* feat: add sync button\n\n* fix: keep order of list\n\nCo-authored-by: B <b@example.org>";
    expect(items("Sync work (#12)", body)).toEqual([
      { type: "added", text: "add sync button" },
      { type: "fixed", text: "keep order of list" },
    ]);
  });

  it.each(["🐛 fix: crash on start", ":bug: fix: crash on start", "♻️ fix: crash on start"])(
    "have no signs before the type: %s",
    (subject) => {
      expect(items(subject)).toEqual([{ type: "fixed", text: "crash on start" }]);
    },
  );

  it.each([
    "chore(release): 1.1.0 [skip ci]",
    "release: 1.1.0 [skip ci]",
    "chore: release 1.2.0",
    "v1.2.3",
    "chore(main): release 1.2.3",
  ])("are none if it is a release: %s", (subject) => {
    expect(items(subject)).toEqual([]);
  });
});
