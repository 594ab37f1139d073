import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliverNotes, supplyNotes } from "../../support/programs/fastlane.ts";
import { commandsOfScript } from "../../support/programs/input-script.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeReleasingMaintainer } from "../../support/worlds/releasing-maintainer.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const item = (text: string) => ["--item", `fixed=${text}`];

describe("fastlane deliver", () => {
  const ios = (...flags: readonly string[]) => ["export", "--platform", "ios", "--out", ...flags];

  it("reads the newest published note of iOS in each language from exported files", async () => {
    const maintainer = await makeReleasingMaintainer(service);
    await maintainer.create("1.0.0", "--publish", "--platform-version", "ios=33", ...item("Old"));
    await maintainer.create("1.1.0", "--publish", "--platform-version", "iOS=1.1 (34)", ...item("The clock"));
    await maintainer.create(
      "1.2.0",
      "--publish",
      "--platform-version",
      "android=35",
      ...item("Android only"),
    );
    await maintainer.create("1.3.0", ...item("A draft"));
    const metadata = join(maintainer.folder, "fastlane", "metadata");
    for (const language of ["en-US", "de-DE", "ja", "default"]) {
      const ran = await maintainer.run(...ios(`fastlane/metadata/${language}`));
      expect(ran).toMatchObject({
        ...{ exit: 0, stderr: "" },
        stdout: `fastlane/metadata/${language}/release_notes.txt\t1.1.0\t11\t0\n`,
      });
    }
    const note = "- The clock";
    expect(await deliverNotes(metadata)).toEqual({ "en-US": note, "de-DE": note, ja: note, default: note });
    await maintainer.run(...ios("fastlane/metadata/ja", "--version", "v1.3.0"));
    expect(await deliverNotes(metadata)).toMatchObject({ ja: "- A draft", "en-US": note });
  });

  it("reads a note of any version, even without a build number and with an app key", async () => {
    const maintainer = await makeReleasingMaintainer(service);
    await maintainer.create("Winter", "--publish", ...item("The snow"));
    expect(await maintainer.read(...ios("metadata/fr-FR"))).toMatchObject({ exit: 0, stderr: "" });
    expect(await deliverNotes(join(maintainer.folder, "metadata"))).toEqual({ "fr-FR": "- The snow" });
  });

  it("needs one text and a known folder", async () => {
    const maintainer = await makeReleasingMaintainer(service);
    const none = await maintainer.run(...ios("metadata/en-US"));
    expect(none).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining("no published release note for iOS"),
    });
    await maintainer.create(
      "1.0.0",
      "--publish",
      ...item("x".repeat(3_998 - 3_000)),
      ...item("y".repeat(1_000)),
    );
    await maintainer.create("1.1.0", "--publish", ...item("A"));
    const two = await maintainer.run(...ios("metadata/en-US", "--version", "1.0.0", "--version", "1.1.0"));
    expect(two).toMatchObject({ exit: 2, stderr: expect.stringContaining("Use --version only once") });
    const other = await maintainer.run(...ios("out"));
    expect(other.stderr).toContain(
      "fastlane reads only folders with the name of a language, such as en-US, and not out.",
    );
  });
});

describe("fastlane supply", () => {
  it.each([
    ["store-two-builds.sh", ".", "out", { 1071: "- a\n", 1072: "- a\n" }],
    [
      "store-three-abis.sh",
      "fastlane/metadata/android",
      "de-DE",
      { 2031: "- Größer\n", 2032: "- Größer\n", 2033: "- Größer\n" },
    ],
    ["store-build-in-parentheses.sh", "metadata/android", "ja-JP", { 77: "- 地図\n" }],
  ])("reads a file for each build of %s", async (script, metadata, language, texts) => {
    const maintainer = await makeReleasingMaintainer(service);
    for (const { argv } of await commandsOfScript(script)) {
      const given = argv.slice(1).filter((word, at, all) => word !== "--app" && all[at - 1] !== "--app");
      expect(await maintainer.run(...given)).toMatchObject({ exit: 0 });
    }
    const builds = Object.keys(texts).map(Number);
    const found = await supplyNotes(join(maintainer.folder, metadata), builds);
    expect(found[language]).toEqual(texts);
  });

  it("gets at most the 500 characters that Google Play accepts, with the last line end", async () => {
    const maintainer = await makeReleasingMaintainer(service);
    for (const [build, length] of [
      [498, 496],
      [499, 497],
      [500, 498],
    ] as const)
      await maintainer.create(
        ...([`1.0.${build}`, "--publish", "--platform-version", `android=${build}`] as const),
        ...item("é".repeat(length)),
      );
    await maintainer.run("export", "--platform", "android", "--out", "metadata/android/es-419");
    const notes = await supplyNotes(join(maintainer.folder, "metadata", "android"), [498, 499, 500]);
    expect(Object.values(notes["es-419"] ?? {}).map((text) => text.length)).toEqual([499, 500, 500]);
  });
});
