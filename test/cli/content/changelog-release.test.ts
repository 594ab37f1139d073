import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("the command changelog release", () => {
  it("publishes the newest version of the file immediately, and changes nothing the second time", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog("## Unreleased\n\n- Add a thing", second, first));
    const before = service.clock.now().toISOString();
    const ran = await run("release");
    const [entry, ...others] = await stored();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ version: "1.1.0", items: [{ text: "Night colours" }] });
    expect([
      before <= (entry?.publishedAt ?? ""),
      (entry?.publishedAt ?? "") <= service.clock.now().toISOString(),
    ]).toEqual([true, true]);
    expect(ran).toMatchObject({ exit: 0, stderr: `Released 1.1.0, published at ${entry?.publishedAt}.\n` });
    service.clock.advance(60_000);
    const again = await run("release");
    expect(again).toMatchObject({
      exit: 0,
      stdout: ran.stdout,
      stderr: `Nothing to do: 1.1.0 is published at ${entry?.publishedAt}.\n`,
    });
    expect(await stored()).toEqual([entry]);
  });

  it.each([
    ["GitHub Actions", tag],
    ["GitLab", { GITLAB_CI: "true", CI_COMMIT_TAG: "v1.0.0" }],
    ["CircleCI", { CIRCLECI: "true", CIRCLE_TAG: "app@1.0.0" }],
    ["Azure Pipelines", { TF_BUILD: "True", BUILD_SOURCEBRANCH: "refs/tags/release-1.0.0" }],
    ["Buildkite", { BUILDKITE: "true", BUILDKITE_TAG: "1.0.0" }],
    ["Bitbucket", { BITBUCKET_BUILD_NUMBER: "7", BITBUCKET_TAG: "app/v1.0.0" }],
    ["Bitrise", { BITRISE_IO: "true", BITRISE_GIT_TAG: "v1.0.0" }],
    ["Jenkins", { JENKINS_URL: "https://ci.example.org", TAG_NAME: "v1.0.0" }],
  ])("takes the tag of a job of %s", async (_, env) => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second, first));
    await run("release", env);
    expect(await stored()).toMatchObject([{ version: "1.0.0" }]);
  });

  it("prefers --version to the tag of the CI job", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second, first));
    await run("release", "--version", "v1.1.0", tag);
    expect(await stored()).toMatchObject([{ version: "1.1.0" }]);
  });

  it("creates one note if two jobs release the same tag at the same time, or if a job runs again", async () => {
    const { write, run, another, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog("## Unreleased\n\n- Add maps"));
    await run("import");
    await write("CHANGELOG.md", changelog(first));
    const runs = await Promise.all([run("release", tag), another("release", tag), run("release", tag)]);
    expect(runs.map(({ exit, stderr }) => [exit, stderr.includes("error")])).toEqual(
      Array(3).fill([0, false]),
    );
    expect(await stored()).toMatchObject([{ version: "1.0.0", publishedAt: expect.any(String) }]);
    expect((await stored()).length).toBe(1);
    const [entry] = await stored();
    expect((await another("release", tag)).stderr).toContain("Nothing to do");
    expect(await stored()).toEqual([entry]);
  });

  it("keeps the text of a person in the draft that an import created", async () => {
    const { write, run, stored, edit } = await newMaintainer();
    await write("CHANGELOG.md", changelog("## Unreleased\n\n- Add maps"));
    await run("import");
    await edit("Unreleased", { title: "Maps at last" });
    const [draft] = await stored();
    const ran = await run("release", "--version", "1.0.0");
    expect(ran.stderr).toContain("Kept what a person wrote in 1.0.0: title.");
    expect(await stored()).toMatchObject([{ id: draft?.id, version: "1.0.0", title: "Maps at last" }]);
    expect((await stored())[0]?.publishedAt).not.toBeNull();
  });

  it("does not publish a note again that a person withdrew", async () => {
    const { write, run, stored, edit } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    await run("release");
    await edit("1.0.0", { publishedAt: null });
    const ran = await run("release");
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toBe(
      "Kept what a person wrote in 1.0.0: publishedAt. --overwrite replaces it.\nNothing to do: 1.0.0 is a draft.\n",
    );
    expect(await stored()).toMatchObject([{ publishedAt: null }]);
  });

  it.each([
    [["--draft"], first, "1.0.0 is a draft: --draft is given.\n"],
    [[], first.replace("-15", "-15 [YANKED]"), "1.0.0 is a draft: it is yanked.\n"],
    [
      [],
      first.replace("1.0.0", "1.0.0-rc.1"),
      "1.0.0-rc.1 is a draft: it is a pre-release, and --pre-releases is not given.\n",
    ],
  ])("keeps the note as a draft and explains why: %j", async (flags, text, stderr) => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(text));
    expect(await run("release", ...flags)).toMatchObject({ exit: 0, stderr });
    expect(await stored()).toMatchObject([{ publishedAt: null }]);
  });

  it("does not withdraw a published note with --draft", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    await run("release");
    const [entry] = await stored();
    await run("release", "--draft");
    expect(await stored()).toEqual([entry]);
  });

  it("publishes a pre-release with --pre-releases, and publishes a version with a future date immediately", async () => {
    const { write, run, published } = await newMaintainer();
    await write("CHANGELOG.md", changelog("## 2.0.0-beta.2 - 2199-01-01\n\n- Add all"));
    await run("release", "--pre-releases");
    expect(await published()).toMatchObject([{ version: "2.0.0-beta.2", title: "Version 2.0.0-beta.2" }]);
  });

  it("publishes at the time of --published-at", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    await run("release", "--published-at", "2026-02-03");
    expect(await stored()).toMatchObject([{ publishedAt: "2026-02-03T00:00:00.000Z" }]);
  });
});
