import { execFile } from "node:child_process";
import { appendFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { startRecordingServer } from "../support/network/recording-server.ts";
import { runStep } from "../support/programs/actions-runner.ts";

const run = promisify(execFile);
const author = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.org" };
const committer = { GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.org" };

/** A minimal clone of this repository after a build. */
async function newClone() {
  const folder = await temporaryFolder();
  const env = { PATH: process.env.PATH, HOME: folder, ...author, ...committer };
  const git = async (...words: string[]) => (await run("git", words, { cwd: folder, env })).stdout.trim();
  await mkdir(join(folder, "build"));
  for (const name of ["package.json", "action.yml", ".gitignore", "build/tag-release.mjs", "action"])
    await cp(name, join(folder, name), { recursive: true });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "First");
  const tag = () =>
    run(process.execPath, ["build/tag-release.mjs"], { cwd: folder, env }).then(
      () => "",
      ({ stderr }) => String(stderr),
    );
  return { folder, git, tag };
}

const { version } = JSON.parse(await readFile("package.json", "utf8"));
const [major] = version.split(".");

describe("the Git tag of a release", () => {
  it("contains the built action, which works from the tag, and the branch does not contain it", async () => {
    const { git, tag } = await newClone();
    const before = await git("rev-parse", "main");
    expect(await tag()).toBe("");
    expect(await git("rev-parse", "main")).toBe(before);
    expect(await git("status", "--porcelain")).toBe("");
    expect(await git("ls-tree", "-r", "--name-only", "main")).not.toContain("action/");
    expect(await git("rev-parse", `v${version}^`)).toBe(before);
    expect(await git("rev-parse", `v${major}`)).toBe(await git("rev-parse", `v${version}`));

    const there = await temporaryFolder();
    await git("worktree", "add", "--quiet", "--detach", there, `v${major}`);
    const { baseUrl, received } = await startRecordingServer();
    const step = { command: "feedback send", type: "bug", message: "It broke.", "api-key": "sdk_test" };
    expect(await runStep({ with: { ...step, "base-url": baseUrl } }, there)).toMatchObject({ code: 0 });
    expect(received).toHaveLength(1);
  });

  it("is never moved, and the tag of the major version moves to the newest release", async () => {
    const { folder, git, tag } = await newClone();
    await tag();
    const first = await git("rev-parse", `v${version}`);
    expect(await tag()).toContain(`v${version} exists.`);
    const next = `${major}.99.0`;
    const manifest = await readFile(join(folder, "package.json"), "utf8");
    await writeFile(join(folder, "package.json"), manifest.replace(`"${version}"`, `"${next}"`));
    await git("commit", "--quiet", "--all", "-m", "Next");
    expect(await tag()).toBe("");
    expect(await git("rev-parse", `v${version}`)).toBe(first);
    expect(await git("rev-parse", `v${major}`)).toBe(await git("rev-parse", `v${next}`));
  });

  it("is not created from changes without a commit, or without a build", async () => {
    const { folder, git, tag } = await newClone();
    await appendFile(join(folder, "action.yml"), "# changed\n");
    expect(await tag()).toContain("Commit your changes first");
    await git("checkout", "--quiet", ".");
    await rm(join(folder, "action"), { recursive: true });
    expect(await tag()).toContain("Build the action first");
    expect(await git("tag", "--list")).toBe("");
  });
});
