import { describe, expect, it } from "vitest";
import { notesOfCommits } from "../../../src/cli/changelog/git.ts";
import { readChangelogFile } from "../../../src/cli/changelog/notes/changelog-file.lazy.ts";
import { inputText } from "../../support/files/inputs.ts";
import { answers, startRecordingServer } from "../../support/network/recording-server.ts";
import { commandsOfScript, runScriptCommand } from "../../support/programs/input-script.ts";

const releasesIn = async (input: string) => readChangelogFile(await inputText(input)).releases;
const textsIn = async (input: string) =>
  (await releasesIn(input)).map(({ version, notes }) => [version, notes.items.map(({ text }) => text)]);

describe("the text that a release tool adds to a change", () => {
  it("is removed if it is a hash or a closed issue", async () => {
    expect(await textsIn("changelog-hash-and-closes.md")).toEqual([
      ["1.2.1", ["keep order"]],
      ["1.2.0", ["Breaking: drop api v1", "new api"]],
    ]);
  });

  it("is removed if it is a list of updated dependencies", async () => {
    const [[, texts = []] = []] = await textsIn("changelog-updated-dependencies.md");
    expect(texts).not.toContainEqual(expect.stringContaining("Updated dependencies"));
    expect(texts).toContainEqual(expect.stringContaining("#5 crash"));
  });

  it("can be a date in a quotation below the heading", async () => {
    const [first] = await releasesIn("changelog-date-in-blockquote.md");
    expect(first).toMatchObject({ version: "2.1.0", day: "2021-01-20" });
    expect(first?.notes.body).not.toContain("January");
    expect(first?.notes.items).toContainEqual({ type: "fixed", text: "fix crash on start" });
  });

  it.each([
    [
      "changelog-release-please.md",
      ["3.1.0", ["Breaking: die alte API fällt weg", "Karten offline", "Absturz beim Start"]],
    ],
    [
      "changelog-semantic-release.md",
      ["2.0.0", ["lista vacía", "mapa: guardar rutas", "Breaking: api: quita la v1"]],
    ],
    [
      "changelog-github-whats-changed.md",
      ["1.4.0", ["Add dark mode", "Crash when the list is empty", "Rename the tab of maps", "keep order"]],
    ],
    [
      "changelog-release-please-breaking.md",
      ["2.3.0", ["Breaking: api: drop v0 routes", "keep photos offline"]],
    ],
    ["changelog-github-categories.md", ["1.1.0", ["Add sync button", "Fix crash on start"]]],
    ["changelog-auto-changelog.md", ["1.2.0", ["Add sync #12", "crash on start"]]],
  ] as const)("is removed, and breaking changes are marked: %s", async (input, release) => {
    const [first] = await releasesIn(input);
    expect([first?.version, first?.notes.items.map(({ text }) => text)]).toEqual(release);
    expect(first?.notes.isList).toBe(true);
  });

  it("shows that all changes are in a list, even changes without a type in the first word", async () => {
    const [, last] = await releasesIn("changelog-auto-changelog.md");
    expect(last?.notes).toMatchObject({ isList: true, items: [{ type: "changed", text: "First" }] });
  });

  it.each(["- Updated dependencies [abc1234]", "### Documentation\n\n* explain the sync"])(
    "can be the whole content of a version: %j",
    (text) => {
      const [release] = readChangelogFile(`## 5.0.0\n\n${text}\n`).releases;
      expect(release?.notes).toMatchObject({ isHidden: true, items: [] });
    },
  );

  it.each([
    "Bump koa from 2 to 3 (#18)",
    "deps: update dependency koa to v3",
    "Update all non-major dependencies",
    "Something by @renovate[bot] in #12",
    "Release 1.2.0",
    "Merge pull request #3 from larder/maps",
  ])("is removed: %s", (line) => {
    const [release] = readChangelogFile(`# 1.0.0\n\n## Fixed\n\n- ${line}\n- the list\n`).releases;
    expect(release?.notes.items).toEqual([{ type: "fixed", text: "the list" }]);
  });

  it.each([
    "Version 5.2 (Build 145)",
    "5.2 — build 145 — 12 January 2026",
    "5.2 (145) - 2026-01-02",
    "v5.2, Build 145",
    "Release 5.2 build 145",
  ])("can be a build number in the heading: %s", (heading) => {
    const { releases } = readChangelogFile(`# ${heading}\n\n- Fix the list\n`);
    expect(releases).toMatchObject([{ version: "5.2", name: "" }]);
  });
});

describe("the commits of the repository in a script", () => {
  it.each([
    ["git-squash.sh", ["added: add sync button", "fixed: keep order of list", "fixed: crash on start"]],
    [
      "git-squash-gitlab.sh",
      ["changed: Breaking: alte API entfernt", "added: Karten offline", "fixed: Absturz beim Start"],
    ],
    ["git-gitmoji-release-please.sh", ["added: mapas sin conexión", "fixed: lista vacía"]],
  ])("become these changes: %s", async (script, changes) => {
    const [command, ...others] = await commandsOfScript(script, "new-folder");
    if (!command) throw new Error("The script has a command.");
    expect(others).toEqual([]);
    const { baseUrl } = await startRecordingServer(answers(200, { items: [], nextCursor: null }));
    const env = { INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_test" };
    const app = command.argv.map((word) =>
      word === "Larder" ? "0197b3a0-0000-7000-8000-00000000000a" : word,
    );
    const ran = await runScriptCommand({ ...command, argv: app }, { env });
    const [entry] = Object(ran.json()).entries;
    expect(entry.items.map(({ type, text }: Record<string, string>) => `${type}: ${text}`)).toEqual(changes);
  });
});

describe("the changes that are read from commits", () => {
  const items = (subject: string, body = "") =>
    notesOfCommits([{ hash: "a".repeat(40), subject, body }]).items;

  it.each([
    "Version Packages (#17)",
    "build(deps): bump koa from 2 to 3 (#18)",
    "fix(deps): update dependency koa to v3",
    "fixup! fix: the list",
  ])("do not contain a commit of a release tool: %s", (subject) => {
    expect(items(subject)).toEqual([]);
  });

  it("say that a change was reverted", () => {
    expect(items("revert: feat: dark mode")).toEqual([{ type: "changed", text: 'Revert "feat: dark mode"' }]);
  });

  it("contain each conventional line of a commit that combines several", () => {
    const body = "* feat: add sync button\n\n* fix: keep order of list\n\nCo-authored-by: B <b@example.org>";
    expect(items("Sync work (#12)", body)).toEqual([
      { type: "added", text: "add sync button" },
      { type: "fixed", text: "keep order of list" },
    ]);
  });

  it.each(["🐛 fix: crash on start", ":bug: fix: crash on start", "♻️ fix: crash on start"])(
    "contain no symbol before the type: %s",
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
  ])("do not contain a release commit: %s", (subject) => {
    expect(items(subject)).toEqual([]);
  });
});
