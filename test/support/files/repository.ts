import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const [name, email] = ["Ada", "ada@example.org"];
const date = "2026-02-03T04:05:06Z";

/** Creates an empty Git repository in a folder. All commits have the same time. */
export async function makeRepository(folder: string) {
  const env = {
    ...process.env,
    ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
  const git = async (...words: readonly string[]): Promise<string> =>
    (await run("git", [...words], { cwd: folder, env })).stdout.trim();
  await git("init", "--quiet");
  return {
    /** Returns the hash of the commit. */
    async commit(subject: string, body = ""): Promise<string> {
      await git("commit", "--quiet", "--allow-empty", "-m", subject, ...(body === "" ? [] : ["-m", body]));
      return git("rev-parse", "HEAD");
    },
    tag: (tag: string) => git("tag", tag),
  };
}
