import { mkdir } from "node:fs/promises";
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

describe("the command changelog import --format changesets", () => {
  const changesets = async (write: (name: string, text: string) => Promise<void>, folder: string) => {
    await mkdir(join(folder, ".changeset"), { recursive: true });
    await write(".changeset/README.md", "# Changesets");
    await write(
      ".changeset/brave-lions.md",
      '---\n"larder": minor\n"@larder/core": patch\n---\n\nSort by date\n',
    );
    await write(".changeset/calm-owls.md", "---\nlarder: patch\n---\n\nFix an empty list\n\nIt was long.\n");
    await write(".changeset/empty.md", "---\n---\n");
  };

  it("creates one draft from the pending changesets, with the largest release type", async () => {
    const { write, run, stored, folder } = await newMaintainer();
    await changesets(write, folder);
    expect((await run("import", "--format", "changesets")).exit).toBe(0);
    expect(await stored()).toMatchObject([
      {
        ...{ version: "Unreleased", releaseType: "minor", publishedAt: null, bodyFormat: "items" },
        items: [
          { type: "added", text: "Sort by date" },
          { type: "fixed", text: "Fix an empty list It was long." },
        ],
        body: "### Minor changes\n\n- Sort by date\n\n### Patch changes\n\n- Fix an empty list\n\n  It was long.",
      },
    ]);
  });

  it("reads the changelog if no changeset is pending", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", "# larder\n\n## 1.0.1\n\n### Patch Changes\n\n- 1a2b3c4: Fix the scale");
    await run("import", "--format", "changesets");
    expect(await stored()).toMatchObject([
      { version: "1.0.1", items: [{ type: "fixed", text: "Fix the scale" }] },
    ]);
  });

  it("names every file that it cannot read", async () => {
    const { write, run, folder } = await newMaintainer();
    await changesets(write, folder);
    await write(".changeset/no-front.md", "Fix it");
    await write(".changeset/no-size.md", "---\nlarder: huge\n---\n\nFix it");
    const ran = await run("import", "--format", "changesets");
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toContain("  no-front.md has no front matter between two lines of ---");
    expect(ran.stderr).toContain(
      "  no-size.md has a line without a valid size (major, minor, patch or none): larder: huge",
    );
  });
});

describe("the command changelog import --format github-release", () => {
  const release = {
    tag_name: "v1.2.0",
    name: "Harvest",
    body: "## What's Changed\n* feat: baskets by @ada in https://github.com/inn/app/pull/3\n\n**Full Changelog**: https://github.com/inn/app/compare/v1.1.0...v1.2.0",
    ...{ published_at: "2026-04-05T06:07:08Z", prerelease: false, draft: false },
  };

  it("reads the event of the CI job", async () => {
    const { write, run, stored, folder } = await newMaintainer();
    await write("event.json", JSON.stringify({ action: "published", release }));
    const env = { GITHUB_EVENT_PATH: join(folder, "event.json") };
    await run("import", "--format", "github-release", env);
    expect(await stored()).toMatchObject([
      {
        ...{ version: "1.2.0", title: "Harvest", body: release.body, bodyFormat: "items" },
        publishedAt: "2026-04-05T06:07:08.000Z",
      },
    ]);
  });

  it("reads a list of releases, and keeps drafts and pre-releases as drafts", async () => {
    const { write, run, stored } = await newMaintainer();
    const list = [
      { ...release, name: "v1.2.0" },
      { ...release, tag_name: "v1.3.0", prerelease: true, published_at: "2026-05-05T06:07:08Z" },
      { ...release, tag_name: "v1.4.0", draft: true, published_at: null, body: null },
    ];
    await write("releases.json", JSON.stringify(list));
    await run("import", "releases.json", "--format", "github-release");
    expect((await stored()).map(({ version, publishedAt }) => [version, publishedAt])).toEqual([
      ["1.4.0", null],
      ["1.3.0", null],
      ["1.2.0", "2026-04-05T06:07:08.000Z"],
    ]);
    expect((await stored()).at(-1)?.title).toBe("Version 1.2.0");
  });

  it.each([
    ["{", "is not JSON"],
    ["{}", "contains no GitHub release"],
  ])("refuses %s", async (text, fault) => {
    const { write, run } = await newMaintainer();
    await write("event.json", text);
    const ran = await run("import", "event.json", "--format", "github-release");
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(fault) });
  });
});

describe("the command changelog import --format git", () => {
  const history = async (folder: string) => {
    const repository = await makeRepository(folder);
    await repository.commit("feat: maps");
    await repository.tag("v1.0.0");
    await repository.commit("feat(maps): night colours", "Feedback: 01a1fda4-237d-759b-ad89-7cf5663516dc");
    await repository.commit("fix: the compass");
    await repository.commit("chore: a newer compiler");
    await repository.commit("Update the licence");
    await repository.commit("feat!: no more Android 8");
    const reverted = await repository.commit("fix: an idea");
    await repository.commit('Revert "fix: an idea"', `This reverts commit ${reverted}.`);
    await repository.commit(
      "perf: faster",
      "Faster lists.\n\nBREAKING CHANGE: lists have no headings\nany more",
    );
    await repository.tag("v1.1.0");
    return repository;
  };

  it("creates one note from the commits between two tags, with all unknown types as changes", async () => {
    const { run, stored, folder } = await newMaintainer();
    await history(folder);
    const ran = await run("import", "--format", "git", "--from", "v1.0.0", "--to", "v1.1.0");
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain("1.1.0 contains ids of feedback that this app does not have: 01a1fda4");
    const [entry] = await stored();
    expect(entry).toMatchObject({
      version: "1.1.0",
      publishedAt: "2026-02-03T04:05:06.000Z",
      bodyFormat: "items",
    });
    expect(entry?.items).toEqual([
      { type: "added", text: "maps: night colours" },
      { type: "fixed", text: "the compass" },
      { type: "changed", text: "a newer compiler" },
      { type: "changed", text: "Update the licence" },
      { type: "added", text: "Breaking: no more Android 8" },
      { type: "changed", text: "faster" },
      { type: "changed", text: "Breaking: lists have no headings any more" },
    ]);
    expect(entry?.body).toContain("### Changed\n\n- a newer compiler\n- Update the licence\n- faster\n");
    expect(entry?.body).toMatch(/\n\nFeedback: 01a1fda4-237d-759b-ad89-7cf5663516dc$/);
  });

  it("begins at the tag before, and ends at the newest tag", async () => {
    const { run, stored, folder } = await newMaintainer();
    const repository = await history(folder);
    await repository.commit("feat: later");
    await run("import", "--format", "git", "--without", "chore,perf");
    const [entry] = await stored();
    expect(entry?.version).toBe("1.1.0");
    expect(entry?.items.map(({ text }) => text)).toEqual([
      "maps: night colours",
      "the compass",
      "Update the licence",
      "Breaking: no more Android 8",
      "Breaking: lists have no headings any more",
    ]);
  });

  it("begins a release at the release before, and the release of a package at its own last release", async () => {
    const { run, stored, folder } = await newMaintainer();
    const repository = await makeRepository(folder);
    for (const tag of ["app@1.0.0", "app@1.1.0-rc.1", "other@7.0.0", "app@1.1.0"]) {
      await repository.commit(`feat: before ${tag}`);
      await repository.tag(tag);
    }
    await run("import", "--format", "git", "--to", "app@1.1.0");
    expect((await stored())[0]?.items.map(({ text }) => text)).toEqual([
      "before app@1.1.0-rc.1",
      "before other@7.0.0",
      "before app@1.1.0",
    ]);
  });

  it("creates a draft from commits without a tag", async () => {
    const { run, stored, folder } = await newMaintainer();
    await (await history(folder)).commit("feat: later");
    await run("import", "--format", "git", "--to", "HEAD");
    expect(await stored()).toMatchObject([
      { version: "Unreleased", publishedAt: null, items: [{ text: "later" }] },
    ]);
  });

  it.each([
    [["--to", "v9"], "--to: this repository has no tag or commit v9."],
    [["--to", "--output=x"], "--to: this repository has no tag or commit --output=x."],
    [["--from", "v9", "--to", "v1.1.0"], "--from: this repository has no tag or commit v9."],
  ])("names a tag that does not exist: %j", async (flags, fault) => {
    const { run, folder } = await newMaintainer();
    await history(folder);
    const ran = await run("import", "--format", "git", ...flags);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(fault) });
    expect(ran.stderr).toContain("`fetch-depth: 0` on GitHub");
  });

  it("reports that a folder is not a repository", async () => {
    const { run } = await newMaintainer();
    const ran = await run("import", "--format", "git");
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("This folder is not a Git repository"),
    });
  });
});
