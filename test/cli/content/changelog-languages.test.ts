import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeReleasingMaintainer } from "../../support/worlds/releasing-maintainer.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const german = "# Änderungen\n\n## [1.1.0] - 2026-02-01\n\n### Fixed\n\n- Absturz\n\n## [0.1.0]\n\n- Alt\n";

describe("translations of release notes", () => {
  it("are imported from a translated file for the versions of the server, and a second import changes nothing", async () => {
    const maintainer = await makeReleasingMaintainer(service);
    await maintainer.create("1.1.0", "--publish", "--item", "fixed=Crash");
    await maintainer.write("CHANGELOG.de.md", german);
    const first = await maintainer.run("import", "CHANGELOG.de.md", "--lang", "de");
    expect(first).toMatchObject({ exit: 0, stdout: "1.1.0\tchanged\n" });
    expect(first.stderr).toContain("The server has no release note of 0.1.0.");
    const again = await maintainer.run("import", "CHANGELOG.de.md", "--lang", "de");
    expect(again.stdout).toBe("1.1.0\tsame\n");
    const [entry] = await maintainer.stored();
    expect(entry).toMatchObject({
      items: [{ text: "Crash" }],
      translations: { de: { items: [{ type: "fixed", text: "Absturz" }] } },
    });
    await maintainer.edit("1.1.0", { translations: { de: { title: "Von Hand" } } });
    const kept = await maintainer.run("import", "CHANGELOG.de.md", "--lang", "de");
    expect(kept.stdout).toBe("1.1.0\tsame\n");
  });

  it("can be changed and listed, and are exported for app stores", async () => {
    const maintainer = await makeReleasingMaintainer(service);
    const build = ["--platform-version", "android=145"];
    await maintainer.create("2.0.0", "--publish", ...build, "--item", "added=Maps");
    expect(
      (await maintainer.run("edit", "2.0.0", "--lang", "de", "--item", "added=Karten")).stderr,
    ).toContain("There is no translation into de yet.");
    await maintainer.run("edit", "2.0.0", "--lang", "de_DE", "--title", "Karten", "--item", "added=Karten");
    const listed = await maintainer.run("list", "--lang", "de-DE", "--fields", "title");
    expect(listed.stdout).toBe("Karten\n");
    const out = "fastlane/metadata/android/de-DE";
    for (const run of [maintainer.run, maintainer.read]) {
      const ran = await run("export", "--platform", "android", "--lang", "de-DE", "--out", out);
      expect(ran.exit).toBe(0);
      expect(await readFile(join(maintainer.folder, out, "changelogs/145.txt"), "utf8")).toBe("- Karten\n");
    }
    await maintainer.run("export", "--platform", "android", "--lang", "fr", "--out", out);
    expect(await readFile(join(maintainer.folder, out, "changelogs/145.txt"), "utf8")).toBe("- Maps\n");
    const wrong = await maintainer.run("edit", "2.0.0", "--lang", "de", "--publish");
    expect(wrong.stderr).toContain("Do not use other flags with --lang");
    await maintainer.run("edit", "2.0.0", "--lang", "de-DE", "--delete-translation");
    expect((await maintainer.stored())[0]?.translations).toEqual({});
  });
});
