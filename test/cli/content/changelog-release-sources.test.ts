import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRepository } from "../../support/files/repository.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeReleasingMaintainer } from "../../support/worlds/releasing-maintainer.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const newMaintainer = () => makeReleasingMaintainer(service);

const changelog = (...parts: readonly string[]) => ["# Changelog", ...parts].join("\n\n");
const first = "## 1.0.0 - 2026-01-15\n\n### Added\n\n- Maps";
const second = "## 1.1.0 - 2026-03-02\n\n### Added\n\n- Night colours";
const tag = { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/tags/v1.0.0" };

describe("the command changelog release with other sources", () => {
  it("reads notes, a title and versions of platforms from the command line", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("notes.md", "### Fixed\n\n- The list\n");
    const platforms = ["--platform-version", "android=1.0.0 (145)", "--platform-version", "ios=1.0.1"];
    await run("release", "--notes", "@notes.md", "--version", "1.0.0", "--title", "Lists", ...platforms);
    expect(await stored()).toMatchObject([
      {
        ...{ version: "1.0.0", title: "Lists", items: [{ type: "fixed", text: "The list" }] },
        versions: [
          { platform: "android", version: "1.0.0 (145)" },
          { platform: "ios", version: "1.0.1" },
        ],
      },
    ]);
    await run("release", "--notes", "Quieter", { GITLAB_CI: "true", CI_COMMIT_TAG: "v1.0.1" });
    expect(await stored()).toMatchObject([{ version: "1.0.1", body: "Quieter", releaseType: "patch" }, {}]);
  });

  it("releases the commits of a tag", async () => {
    const { run, stored, folder } = await newMaintainer();
    const repository = await makeRepository(folder);
    await repository.commit("feat: maps");
    await repository.tag("v1.0.0");
    await run("release", "--format", "git", tag);
    expect(await stored()).toMatchObject([{ version: "1.0.0", items: [{ type: "added", text: "maps" }] }]);
    expect(
      (await run("release", "--format", "git", "--to", "v1.0.0", { ...tag, GITHUB_REF: "refs/tags/v2" }))
        .exit,
    ).toBe(0);
  });

  it("releases pending changesets only with a given version", async () => {
    const { write, run, stored, folder } = await newMaintainer();
    await mkdir(join(folder, ".changeset"));
    await write(".changeset/brave-lions.md", "---\nlarder: major\n---\n\nRename recipes\n");
    const refused = await run("release", "--format", "changesets");
    expect(refused).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: expect.stringContaining("Name their version"),
    });
    await run("release", "--format", "changesets", "--version", "2.0.0");
    expect(await stored()).toMatchObject([
      { version: "2.0.0", releaseType: "major", publishedAt: expect.any(String) },
    ]);
  });

  it.each([
    [
      ["--version", "3.0.0"],
      changelog(second, first),
      6,
      "There are no notes of 3.0.0. The newest versions are: 1.1.0, 1.0.0.",
    ],
    [[], changelog("## Unreleased\n\n- Add maps"), 2, "CHANGELOG.md:3 has only notes without a version."],
    [["--notes", "Maps"], "", 2, "--notes needs --version, because this is not a CI job for a tag."],
    [
      ["--notes", "Maps", "--version", "1", "--format", "git"],
      "",
      2,
      "Do not use a file or --format with it",
    ],
  ])("refuses %j of another file", async (flags, text, exit, fault) => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", text);
    expect(await run("release", ...flags)).toMatchObject({
      exit,
      stdout: "",
      stderr: expect.stringContaining(fault),
    });
    expect(await stored()).toEqual([]);
  });

  it("does not release unreleased notes for the tag of a CI job, and explains how this is done", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog("## Unreleased\n\n- Add maps"));
    const ran = await run("release", tag);
    expect(ran).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining("--version 1.0.0 publishes what is under Unreleased."),
    });
    expect(await stored()).toEqual([]);
  });

  it("prints one JSON object, and sends no change with --dry-run", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    const dry = await run("release", "--dry-run", "--json");
    expect(dry).toMatchObject({ exit: 0, stderr: "" });
    expect(dry.json()).toMatchObject({ dryRun: true, entries: [{ version: "1.0.0", publish: true }] });
    expect((await run("release", "--dry-run")).stdout).toContain("published  now\n");
    expect(await stored()).toEqual([]);
    expect((await run("release", "--json")).json()).toMatchObject({
      version: "1.0.0",
      created: true,
      keptFields: [],
    });
  });

  it("writes the version and the id of the note as outputs of the CI step", async () => {
    const { write, run, stored, folder } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    const file = join(folder, "outputs");
    await run("release", { ...tag, GITHUB_OUTPUT: file });
    const [entry] = await stored();
    const outputs = await readFile(file, "utf8");
    expect(outputs).toMatch(
      new RegExp(`^version<<(\\S+)\n1\\.0\\.0\n\\1\nrelease-note-id<<(\\S+)\n${entry?.id}\n\\2\n$`),
    );
  });
});
