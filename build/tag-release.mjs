// Tags a release. GitHub runs the action from a tag, so the tag has the built files of `action/`, which main does not
// have. The tag points to a new commit after HEAD. `npm run tag` builds the files before.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const git = (words, env = {}) =>
  execFileSync("git", words, { encoding: "utf8", env: { ...process.env, ...env } }).trim();

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const tag = `v${version}`;
const major = `v${version.split(".")[0]}`;

if (git(["status", "--porcelain"]) !== "")
  stop("Commit your changes first, because a release contains only committed files.");
if (git(["tag", "--list", tag]) !== "")
  stop(`${tag} exists. A release is never changed, so increase the version.`);
if (!existsSync("action/main.cjs")) stop("Build the action first: npm run build:package.");

const commit = commitWith("action", `Release ${version}, with the built action`);
git(["tag", tag, commit]);
git(["tag", "--force", major, commit]);
process.stdout.write(
  `${tag} and ${major} are ${commit}.\ngit push origin ${tag} && git push --force origin ${major}\n`,
);

/**
 * Creates a commit after HEAD with a folder that Git ignores. Returns its hash. Changes neither the branch nor its
 * index.
 */
function commitWith(folder, message) {
  const place = mkdtempSync(join(tmpdir(), "innkeep-tag-"));
  const index = { GIT_INDEX_FILE: join(place, "index") };
  try {
    git(["read-tree", "HEAD"], index);
    git(["add", "--force", folder], index);
    return git(["commit-tree", git(["write-tree"], index), "-p", "HEAD", "-m", message]);
  } finally {
    rmSync(place, { recursive: true });
  }
}
