import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { answers, startRecordingServer } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeReleasingMaintainer } from "../../support/worlds/releasing-maintainer.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A maintainer with some release notes. `files` returns the exported files. */
async function maintainerWith(...notes: readonly (readonly string[])[]) {
  const maintainer = await makeReleasingMaintainer(service);
  for (const [version = "", ...flags] of notes) await maintainer.create(version, ...flags);
  const folder = join(maintainer.folder, "out", "changelogs");
  const files = async () => {
    const names = await readdir(folder).catch(() => []);
    const texts = names.map(async (name) => [name, await readFile(join(folder, name), "utf8")]);
    return Object.fromEntries(await Promise.all(texts));
  };
  const android = (...flags: readonly string[]) =>
    maintainer.run("export", "--format", "fastlane", "--platform", "android", "--out", "out", ...flags);
  return { ...maintainer, files, android };
}

const build = (number: string) => ["--platform-version", `android=${number}`];
const item = (text: string) => ["--item", `fixed=${text}`];

describe("the command changelog export", () => {
  it("writes a file for each published note with a build number, in any form of the number", async () => {
    const { android, files } = await maintainerWith(
      ["1.0.0", "--publish", ...build("145"), ...item("The list"), ...item("The photo")],
      ["1.1.0", "--publish", ...build("1.1.0 (146)"), ...item("The clock")],
      ["1.2.0", "--publish", ...build("1.2.0+147"), "--platform-version", "ios=1.2.0", ...item("The bell")],
      ["1.3.0", "--publish", ...build("1.3.0"), ...item("No number")],
      ["1.4.0", ...build("149"), ...item("A draft")],
      ["150", "--publish", ...item("A build as its version")],
    );
    const ran = await android();
    expect(ran).toMatchObject({
      exit: 0,
      stderr: "These versions have no build number for Android: 1.3.0.\n",
    });
    expect(ran.stdout.split("\n")).toContain("out/changelogs/145.txt\t1.0.0\t22\t0");
    expect(await files()).toEqual({
      "145.txt": "- The list\n- The photo\n",
      "146.txt": "- The clock\n",
      "147.txt": "- The bell\n",
      "150.txt": "- A build as its version\n",
    });
    const again = await android("--json");
    expect(again).toMatchObject({ exit: 0, stderr: "" });
    expect(Object(again.json()).items).toHaveLength(4);
  });

  it("writes a file for each build number of one version", async () => {
    const { android, files } = await maintainerWith([
      "9.9.1",
      "--publish",
      ...build("1071"),
      ...build("9.9.1 (1072)"),
      ...build("9.9.1+1071"),
      ...item("The clock"),
    ]);
    expect(await android()).toMatchObject({ exit: 0 });
    expect(await files()).toEqual({ "1071.txt": "- The clock\n", "1072.txt": "- The clock\n" });
  });

  it("replaces a link in place of a file, and does not change the target of the link", async () => {
    const { android, files, folder } = await maintainerWith([
      "1.0.0",
      "--publish",
      ...build("1"),
      ...item("A"),
    ]);
    await writeFile(join(folder, "other.txt"), "Mine.\n");
    await mkdir(join(folder, "out", "changelogs"), { recursive: true });
    await symlink("../../other.txt", join(folder, "out", "changelogs", "1.txt"));
    expect((await android()).exit).toBe(0);
    expect(await files()).toEqual({ "1.txt": "- A\n" });
    expect(await readFile(join(folder, "other.txt"), "utf8")).toBe("Mine.\n");
  });

  it("refuses a folder if a link leads it outside the repository", async () => {
    const { android, folder } = await maintainerWith(["1.0.0", "--publish", ...build("1"), ...item("A")]);
    const outside = join(folder, "..", "elsewhere");
    await mkdir(outside);
    await mkdir(join(folder, "out"));
    await symlink(outside, join(folder, "out", "changelogs"));
    expect(await android()).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("out/changelogs leads through a link to"),
    });
    expect(await readdir(outside)).toEqual([]);
  });

  it("writes the text of a note without Markdown syntax, and without lines for maintainers", async () => {
    const body =
      "## Faster\n\nRead **more** on [the page](https://example.org).\n\n- One\n  - and a half\n- `Two`\n\nFeedback: 01a1fda4-237d-759b-ad89-7cf5663516dc";
    const { android, files } = await maintainerWith(["1.0.0", "--publish", ...build("1"), "--body", body]);
    await android();
    expect(await files()).toEqual({
      "1.txt": "Faster\nRead more on the page.\n- One\n  - and a half\n- Two\n",
    });
  });

  it("ends at a complete change, after at most 500 characters for Android and 4,000 for iOS", async () => {
    const long = (sign: string, length: number) => item(sign.repeat(length - 2));
    const { android, run, files } = await maintainerWith([
      ...["1.0.0", "--publish", ...build("1"), "--platform-version", "ios=1"],
      ...long("🍎", 250),
      ...long("b", 249),
      ...long("c", 600),
    ]);
    const ran = await android();
    expect(ran.stderr).toBe("out/changelogs/1.txt: 1 of the changes of 1.0.0 did not fit.\n");
    expect(ran.stdout).toBe("out/changelogs/1.txt\t1.0.0\t500\t1\n");
    expect((await files())["1.txt"]).toBe(`- ${"🍎".repeat(248)}\n- ${"b".repeat(247)}`);
    const ios = await run("export", "--platform", "ios", "--out", "out");
    expect(ios).toMatchObject({ exit: 0, stdout: "out/release_notes.txt\t1.0.0\t1101\t0\n" });
  });

  it("does not write a heading at the end", async () => {
    const body = `## Fixed\n\n- The list\n\n## Added\n\n- ${"x".repeat(490)}`;
    const { android, files } = await maintainerWith(["1.0.0", "--publish", ...build("1"), "--body", body]);
    await android();
    expect(await files()).toEqual({ "1.txt": "Fixed\n- The list\n" });
  });

  it("names every note that is too long for a file, and writes no file", async () => {
    const { android, files } = await maintainerWith(
      ["1.0.0", "--publish", ...build("1"), ...item("x".repeat(499))],
      ["1.1.0", "--publish", ...build("2"), ...item("The list")],
      ["1.2.0", "--publish", ...build("1.2 (2)"), ...item("The list")],
    );
    const ran = await android();
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toContain("  1.0.0 begins with a change of more than 500 characters: shorten it\n");
    expect(ran.stderr).toMatch(/ {2}1\.\d\.0 has the same build number 2 as 1\.\d\.0/);
    expect(await files()).toEqual({});
  });

  it("writes only the named versions, also drafts, and refuses a version without a build number", async () => {
    const { android, files } = await maintainerWith(
      ["1.0.0", ...build("1"), ...item("A draft")],
      ["1.1.0", "--publish", ...build("2"), ...item("Published")],
      ["1.2.0", "--publish", ...item("No number")],
    );
    expect((await android("--version", "v1.0.0", "--dry-run")).stdout).toBe(
      "out/changelogs/1.txt\t1.0.0\t9\t0\n",
    );
    expect(await files()).toEqual({});
    await android("--version", "v1.0.0");
    expect(await files()).toEqual({ "1.txt": "- A draft\n" });
    expect((await android("--version", "1.2.0")).stderr).toContain("1.2.0 has no build number for Android");
    expect((await android("--version", "9.0.0")).exit).toBe(6);
    await android("--drafts");
    expect(Object.keys(await files())).toEqual(["1.txt", "2.txt"]);
  });

  it("reports that no note has a build number", async () => {
    const { android } = await maintainerWith(["1.0.0", "--publish", ...item("No number")]);
    expect(await android()).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining("No published release note has a build number for Android."),
    });
  });

  it("works with a server that has only the specification", async () => {
    const entry = {
      ...{
        id: "01a1fda4-237d-759b-ad89-7cf5663516dc",
        title: "Maps",
        version: "1.0.0",
        releaseType: "minor",
      },
      versions: [{ platform: "android", version: "145" }],
      ...{ bodyFormat: "items", body: "", items: [{ type: "added", text: "Maps" }] },
      publishedAt: "2026-01-01T00:00:00.000Z",
    };
    const { baseUrl } = await startRecordingServer(answers(200, { entries: [entry] }));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_a" });
    const argv = ["changelog", "export", "--platform", "android", "--out", "."];
    expect(await line.run(argv)).toMatchObject({ exit: 0, stdout: "changelogs/145.txt\t1.0.0\t6\t0\n" });
    expect(await readFile(join(line.cwd, "changelogs", "145.txt"), "utf8")).toBe("- Maps\n");
  });

  it("says that it cannot write a folder", async () => {
    const { android, folder } = await maintainerWith([
      "1.0.0",
      "--publish",
      ...build("1"),
      ...item("The list"),
    ]);
    await writeFile(join(folder, "out"), "");
    expect(await android()).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("--out: the files cannot be written ("),
    });
  });
});
