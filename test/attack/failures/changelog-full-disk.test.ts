import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { canMount, mountSmall, unmount } from "../../support/database/full-disk.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeReleasingMaintainer } from "../../support/worlds/releasing-maintainer.ts";

const where = (await canMount()) ? "a small disk" : "no small disk, because this user cannot mount one";

let service: Service;
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
});
afterAll(() => service.stop());

async function smallFolder(folder: string, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await mountSmall(folder, bytes);
  onTestFinished(() => unmount(folder));
}

const enlarge = (folder: string) => execFileSync("mount", ["-o", "remount,size=1m", folder]);

it(`an export that fills the disk leaves only complete files, and the next export is complete, on ${where}`, async () => {
  if (!(await canMount())) return;
  const { create, run, folder } = await makeReleasingMaintainer(service);
  for (let at = 1; at <= 8; at += 1)
    await create(
      `1.${at}.0`,
      "--publish",
      "--platform-version",
      `android=${at}`,
      "--item",
      `fixed=Change ${at}`,
    );
  const out = join(folder, "out");
  await smallFolder(out, 16_384);
  const files = join(out, "changelogs");
  const exported = () => run("export", "--platform", "android", "--out", "out");
  const ran = await exported();
  expect(ran).toMatchObject({ stdout: "", stderr: expect.stringContaining("the disk is full") });
  expect(ran.exit).not.toBe(0);
  expect(ran.stderr).not.toContain("    at ");
  const names = await readdir(files);
  expect(names.length).toBeLessThan(8);
  for (const name of names)
    expect(await readFile(join(files, name), "utf8")).toBe(`- Change ${parseInt(name, 10)}\n`);
  enlarge(out);
  expect(await exported()).toMatchObject({ exit: 0, stderr: "" });
  expect(await readdir(files)).toHaveLength(8);
});

it(`a release is published even if neither its key nor the outputs of its CI step can be written, on ${where}`, async () => {
  if (!(await canMount())) return;
  const { write, run, stored, folder } = await makeReleasingMaintainer(service);
  await write("CHANGELOG.md", "# Changelog\n\n## 1.0.0 - 2026-01-15\n\n### Added\n\n- Maps\n");
  const disk = join(folder, "disk");
  await smallFolder(disk, 4_096);
  execFileSync("sh", ["-c", "head -c 9000 /dev/zero > ballast || true"], { cwd: disk, stdio: "ignore" });
  const output = join(disk, "output");
  const env = {
    GITHUB_ACTIONS: "true",
    GITHUB_REF: "refs/tags/v1.0.0",
    GITHUB_OUTPUT: output,
    XDG_STATE_HOME: disk,
  };
  const ran = await run("release", env);
  expect(ran).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining("cannot be written (the disk is full)"),
  });
  expect(await stored()).toMatchObject([{ version: "1.0.0", publishedAt: expect.any(String) }]);
  enlarge(disk);
  expect(await run("release", env)).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining("Nothing to do"),
  });
  expect(await readFile(output, "utf8")).toContain("1.0.0");
  expect(await stored()).toHaveLength(1);
});
