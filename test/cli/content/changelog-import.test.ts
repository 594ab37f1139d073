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

describe("the command changelog import", () => {
  it("creates one published note for each version, with the release type compared to the previous version", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second, first));
    const ran = await run("import");
    expect(ran).toMatchObject({ exit: 0, stderr: "2 created, 0 changed, 0 unchanged.\n" });
    expect(ran.stdout.split("\n")[0]).toMatch(
      /^\S{36}\t1\.0\.0\tcreated\t2026-01-15T00:00:00\.000Z\tVersion 1\.0\.0$/,
    );
    expect(await stored()).toMatchObject([
      {
        version: "1.1.0",
        releaseType: "minor",
        publishedAt: "2026-03-02T00:00:00.000Z",
        bodyFormat: "items",
      },
      { version: "1.0.0", releaseType: "minor", publishedAt: "2026-01-15T00:00:00.000Z" },
    ]);
  });

  it("keeps a title that a person edited in the console through ten imports, and reports this each time", async () => {
    const { write, run, stored, edit } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    await run("import");
    await edit("1.0.0", { title: "The one with the maps" });
    for (let round = 0; round < 10; round += 1) {
      await write("CHANGELOG.md", changelog(first.replace("1.0.0", `1.0.0: Name ${round}`)));
      const ran = await run("import");
      expect(ran.stderr).toContain("Kept what a person wrote in 1.0.0: title. --overwrite replaces it.");
    }
    expect(await stored()).toMatchObject([{ title: "The one with the maps" }]);
    await run("import", "--overwrite");
    expect(await stored()).toMatchObject([{ title: "Name 9" }]);
  });

  it("sends only the notes that differ from the notes of the server", async () => {
    const { write, run, stored, edit, report } = await newMaintainer();
    const thread = await report();
    const named = `${first}\n  Feedback: ${thread}`;
    await write("CHANGELOG.md", changelog("## Unreleased\n\n- Add routes", second, named));
    await run("import");
    const puts = /PUT \S+\/by-version\/(\S+)/g;
    const sent = async () =>
      [...(await run("import", { INNKEEP_DEBUG: "1" })).stderr.matchAll(puts)].map(([, version]) => version);
    expect(await sent()).toEqual([]);
    await edit("1.1.0", { versions: [{ platform: "android", version: "7" }] });
    expect(await sent()).toEqual([]);
    await edit("1.1.0", { title: "Dark" });
    expect(await sent()).toEqual(["1.1.0"]);
    // The title in the file is now equal to the stored one, so the next import may change it again.
    await write("CHANGELOG.md", changelog(second.replace("1.1.0", "1.1.0: Dark"), named));
    expect(await sent()).toEqual(["1.1.0"]);
    expect(await sent()).toEqual([]);
    await write("CHANGELOG.md", changelog(second.replace("1.1.0", "1.1.0: Night"), named));
    expect(await sent()).toEqual(["1.1.0"]);
    expect(await stored()).toMatchObject([{}, { title: "Night" }, { feedbackIds: [thread] }]);
  });

  it("creates one note for a version if two jobs run at the same time", async () => {
    const { write, run, stored, another } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second, first));
    const runs = await Promise.all([run("import"), another("import"), run("import"), another("import")]);
    expect(runs.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
    expect((await stored()).map(({ version }) => version)).toEqual(["1.1.0", "1.0.0"]);
  });

  it("does not change the time of a note that was published on the same day", async () => {
    const { write, run, stored, edit } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    await run("import", "--draft");
    await edit("1.0.0", { publishedAt: "2026-01-15T10:20:30.000Z" });
    await write("CHANGELOG.md", changelog(first.replace("1.0.0", "1.0.1"), first));
    expect((await run("import")).stderr).toBe("1 created, 0 changed, 1 unchanged.\n");
    expect(await stored()).toMatchObject([
      { version: "1.0.1", publishedAt: "2026-01-15T10:20:30.001Z" },
      { version: "1.0.0", publishedAt: "2026-01-15T10:20:30.000Z" },
    ]);
  });

  it("does not move a published note to another day unless it may overwrite, and moves a scheduled note", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second.replace("2026-03-02", "2199-03-02"), first));
    await run("import");
    await write(
      "CHANGELOG.md",
      changelog(second.replace("2026-03-02", "2199-04-02"), first.replace("-15", "-17")),
    );
    const dates = async () => (await stored()).map(({ publishedAt }) => publishedAt?.slice(0, 10));
    expect((await run("import")).stderr).toBe("0 created, 1 changed, 1 unchanged.\n");
    expect(await dates()).toEqual(["2199-04-02", "2026-01-15"]);
    await run("import", "--overwrite");
    expect(await dates()).toEqual(["2199-04-02", "2026-01-17"]);
  });

  it("withdraws a version that is later marked as yanked", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    await run("import");
    await write("CHANGELOG.md", changelog(first.replace("-15", "-15 [YANKED]")));
    await run("import");
    expect(await stored()).toMatchObject([{ version: "1.0.0", publishedAt: null }]);
  });

  it("keeps pre-releases as drafts, or publishes them with --pre-releases", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first.replace("1.0.0", "1.0.0-rc.1")));
    await run("import");
    expect(await stored()).toMatchObject([{ version: "1.0.0-rc.1", publishedAt: null }]);
    await run("import", "--pre-releases");
    await run("import");
    expect(await stored()).toMatchObject([{ publishedAt: "2026-01-15T00:00:00.000Z" }]);
  });

  it("hides a version with a future date until that date", async () => {
    const { write, run, stored, published } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first.replace("2026-01-15", "2199-01-15")));
    await run("import");
    expect(await stored()).toMatchObject([{ publishedAt: "2199-01-15T00:00:00.000Z" }]);
    expect(await published()).toEqual([]);
  });

  it("keeps versions without a date as drafts and says so, unless a flag gives a date", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog("## 1.1.0\n\n- Add a list", "## 1.0.0\n\n- Add a map"));
    const ran = await run("import");
    expect(ran.stderr).toContain(
      "These versions have no date, so they are drafts unless they were published before: 1.0.0, 1.1.0.",
    );
    expect((await stored()).map(({ publishedAt }) => publishedAt)).toEqual([null, null]);
    await run("import", "--published-at", "2026-02-01");
    expect((await stored()).map(({ publishedAt }) => publishedAt)).toEqual([
      "2026-02-01T00:00:00.001Z",
      "2026-02-01T00:00:00.000Z",
    ]);
  });
});

describe("unreleased notes", () => {
  const waiting = "## Unreleased\n\n### Added\n\n- A ruler";

  it("are one draft that follows the file", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(waiting, first));
    await run("import");
    await write("CHANGELOG.md", changelog(`${waiting}\n- A compass`, first));
    await run("import");
    expect(await stored()).toMatchObject([
      { version: "Unreleased", title: "Unreleased", publishedAt: null, items: [{}, { text: "A compass" }] },
      { version: "1.0.0" },
    ]);
  });

  it("become the note of the next version, and keep the text of a person", async () => {
    const { write, run, stored, edit } = await newMaintainer();
    await write("CHANGELOG.md", changelog(waiting));
    await run("import");
    await edit("Unreleased", { body: "By hand" });
    const [draft] = await stored();
    await write(
      "CHANGELOG.md",
      changelog("## Unreleased", waiting.replace("Unreleased", "1.1.0 - 2026-03-02"), first),
    );
    const ran = await run("import");
    expect(ran.stderr).toContain("The draft Unreleased is now the release note of 1.1.0.");
    expect(ran.stderr).toContain("Kept what a person wrote in 1.1.0: body.");
    expect(await stored()).toMatchObject([
      {
        id: draft?.id,
        version: "1.1.0",
        title: "Version 1.1.0",
        body: "By hand",
        publishedAt: "2026-03-02T00:00:00.000Z",
      },
      { version: "1.0.0" },
    ]);
  });

  it("do not become the note of an older version, and the message names the remaining draft", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(waiting, second));
    await run("import");
    await write("CHANGELOG.md", changelog(first));
    const ran = await run("import");
    expect(ran.stderr).toContain(
      "The draft Unreleased was not changed, because the file has no unreleased notes.",
    );
    expect((await stored()).map(({ version }) => version)).toEqual(["Unreleased", "1.1.0", "1.0.0"]);
    await run("release");
    expect((await stored()).map(({ version }) => version)).toEqual(["Unreleased", "1.1.0", "1.0.0"]);
  });

  it("stay a separate draft while the file has unreleased notes", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(waiting));
    await run("import");
    await write("CHANGELOG.md", changelog(waiting, first));
    await run("import");
    expect((await stored()).map(({ version }) => version)).toEqual(["Unreleased", "1.0.0"]);
  });

  it("get the version of --version", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(waiting));
    await run("import", "--version", "1.1.0");
    expect(await stored()).toMatchObject([{ version: "1.1.0", publishedAt: null }]);
    await write("CHANGELOG.md", changelog(first));
    expect((await run("import", "--version", "1.1.0")).exit).toBe(2);
  });
});

describe("feedback that an imported file names", () => {
  it("is linked to the note, and the message names ids that the app does not have", async () => {
    const { write, run, stored, report } = await newMaintainer();
    const thread = await report();
    const unknown = "01a1fda4-237d-759b-ad89-7cf5663516dc";
    await write("CHANGELOG.md", changelog(`${first}\n  Feedback: ${thread}\n\nFeedback: ${unknown}`));
    const ran = await run("import");
    expect(ran.stderr).toContain(`1.0.0 contains ids of feedback that this app does not have: ${unknown}.`);
    expect(await stored()).toMatchObject([
      { feedbackIds: [thread], items: [{ type: "added", text: "Maps" }] },
    ]);
  });
});

describe("the command changelog import --dry-run", () => {
  it("shows each entry with its fields, and sends no request that changes data", async () => {
    const { write, run } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second, first.replace("-15", "-15 [YANKED]")));
    const ran = await run("import", "--dry-run", { INNKEEP_BASE_URL: "http://127.0.0.1:9" });
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /^version {4}1\.0\.0\ntitle {6}Version 1\.0\.0\ntype {7}computed from the previous version\npublished {2}a draft, because it is yanked\nshows {6}the items\nbody {7}### Added\n[\s\S]*items {6}added: Maps\n\nversion {4}1\.1\.0\n/,
    );
  });
});
