import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { answers, listen } from "../../support/network/recording-server.ts";
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

describe("the command changelog import, if it cannot read the file,", () => {
  it("names every wrong line of the file, and imports nothing", async () => {
    const { write, run, stored } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first, first.replace("1.0.0", "v1.0.0"), "## 0.9.0 - 01/02/2025"));
    const ran = await run("import");
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toContain("  line 9 is a second heading of 1.0.0; the first is in line 3");
    expect(ran.stderr).toContain(
      "  line 15 has “01/02/2025”, which is not a clear date: write it as 2026-11-22",
    );
    expect(await stored()).toEqual([]);
  });

  it.each([
    ["1.0.0 - January 30, 2026", "has “January 30, 2026”, which is not a clear date: write it as 2026-11-22"],
    ["1.0.0 - 5 février 2026", "has “5 février 2026”, which is not a clear date"],
    ["1.0.0 vom 01.12.2025", "has “vom 01.12.2025”, which is not a clear date"],
    ["1.0.0 - 2026年3月5日", "has “2026年3月5日”, which is not a clear date"],
    ["1.0.0 (24.12.25)", "has “24.12.25”, which is not a clear date"],
    ["🎉 1.0.0", "has “🎉 1.0.0”, which seems to be a version: write ## 1.2.0 - 2026-11-22"],
    ["Larder 1.0.0 (2026-01-01)", "has “Larder 1.0.0 (2026-01-01)”, which seems to be a version"],
    ["app@1.0.0", "has “app@1.0.0”, which seems to be a version"],
    ["Build 145", "has “Build 145”, which seems to be a version"],
    ["2026-11-01", "has “2026-11-01”, which seems to be a version"],
  ])("names the line of a heading that it cannot read: %s", async (heading, fault) => {
    const { write, run, stored } = await newMaintainer();
    const unread = `## ${heading}\n\n- Add a map`;
    await write("CHANGELOG.md", changelog(unread, second));
    expect(await run("import")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(`line 3 ${fault}`),
    });
    await write("CHANGELOG.md", changelog(second, unread));
    expect(await run("release")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(`line 9 ${fault}`),
    });
    expect(await stored()).toEqual([]);
  });

  it("names the line of a version that is not in a heading", async () => {
    const { write, run } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second, "**1.0.0** (2026-01-15)\n\n- Add a map"));
    expect(await run("import")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("line 9 has a version outside of a heading: write ## 1.2.0"),
    });
  });

  it("names the text that it leaves out, before the first version and after the last", async () => {
    const { write, run } = await newMaintainer();
    await write("CHANGELOG.md", changelog("## Non publié\n\n- Maps", first, "## License\n\nFree."));
    const ran = await run("import");
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain(
      "line 3: the text under “Non publié” belongs to no version and is left out.",
    );
    expect(ran.stderr).toContain("line 13: the text under “License” belongs to no version and is left out.");
  });

  it("names changes under a heading of the same level as the versions", async () => {
    const { write, run } = await newMaintainer();
    await write("CHANGELOG.md", "# Upcoming\n\n## Added\n\n- Lists\n\n# 1.0.0 - 2026-01-15\n\n- Add a map");
    const ran = await run("import");
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain("line 1: the text under “Upcoming” belongs to no version and is left out.");
  });

  it.each([
    ["no heading of a version", "Only words.", "has no heading of a version"],
    [
      "a text that is too long",
      changelog(`${first}\n\n${"x".repeat(100_001)}`),
      "CHANGELOG.md:3 the text has 100",
    ],
    [
      "a title that is too long",
      changelog(first.replace("1.0.0", `1.0.0: ${"x".repeat(201)}`)),
      "the title has 201",
    ],
  ])("refuses %s", async (_, text, fault) => {
    const { write, run } = await newMaintainer();
    await write("CHANGELOG.md", text);
    expect(await run("import")).toMatchObject({ exit: 2, stderr: expect.stringContaining(fault) });
  });

  it.each([
    [["--from", "v1"], "--from can be used only with --format git."],
    [
      ["CHANGELOG.md", "--format", "git"],
      "--format git reads the commits of this repository and not a file.",
    ],
    [["missing.md"], "error: The file missing.md cannot be read (it does not exist)."],
    [["--platform-version", "ios=1.0"], "--platform-version is for one version, but there are 2."],
    [["--draft", "--published-at", "2026-01-01"], "cannot be used together with"],
  ])("refuses %j", async (flags, fault) => {
    const { write, run } = await newMaintainer();
    await write("CHANGELOG.md", changelog(second, first));
    expect(await run("import", ...flags)).toMatchObject({ exit: 2, stderr: expect.stringContaining(fault) });
  });

  it("reports where it stopped, and continues if it runs again", async () => {
    const { write, run, create } = await newMaintainer();
    await create("1.1.0");
    await create("v1.1.0", "--allow-duplicate");
    await write("CHANGELOG.md", changelog(second, first));
    const ran = await run("import");
    expect(ran).toMatchObject({ exit: 7, stdout: "" });
    expect(ran.stderr).toContain(
      "1.1.0 was not imported (after 1 of 2 versions): Several release notes have version 1.1.0",
    );
  });

  it("says in one sentence that a server with only the specification does not have the endpoint", async () => {
    const asked: (string | undefined)[] = [];
    const baseUrl = await listen((request, response) => {
      asked.push(request.method);
      answers(404, { error: "Not found" })(response);
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    await writeFile(join(line.cwd, "CHANGELOG.md"), changelog(first));
    for (const argv of [
      ["import"],
      ["release"],
      ["import", "--app", "01a1fda3-dcee-7447-b6de-42c8c3c82f1d"],
    ]) {
      const ran = await line.run(["changelog", ...argv]);
      expect(ran).toMatchObject({
        exit: 6,
        stdout: "",
        stderr:
          "error: This server cannot accept release notes, because it has only endpoints that read them.\n",
      });
    }
    expect(new Set(asked)).toEqual(new Set(["GET"]));
  });

  it("shows the usual message for a wrong app if the server has the endpoints", async () => {
    const { write, run } = await newMaintainer();
    await write("CHANGELOG.md", changelog(first));
    const ran = await run("import", "--app", "01a1fda3-dcee-7447-b6de-42c8c3c82f1d");
    expect(ran).toMatchObject({ exit: 6, stderr: expect.stringContaining("There is nothing here.") });
  });
});
