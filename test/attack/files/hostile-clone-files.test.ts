import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";

/** The object with which a stranger replaces a file, and the message of commands about it. */
const kinds = [
  [
    "a pipe without a writer",
    (path: string) => void execFileSync("mkfifo", [path]),
    /is not a file|or no file/,
  ],
  ["a link to a device without an end", (path: string) => symlink("/dev/zero", path), /is not a file|link/],
  [
    "a huge file",
    async (path: string) => {
      await writeFile(path, "");
      await truncate(path, 5_000_000_000);
    },
    /is larger than/,
  ],
] as const;

/** The files of a clone that commands read by themselves, and a command that reads each. */
const files = [
  ["innkeep.json", "faq list"],
  ["innkeep.json", "init --server https://inn.example.org"],
  ["innkeep.json", "doctor"],
  ["faq/one.md", "faq diff"],
  ["list.yaml", "faq diff list.yaml"],
  ["faq/.innkeep-faq.json", "faq diff"],
  ["CHANGELOG.md", "changelog import"],
  [".changeset/one.md", "changelog import --format changesets"],
] as const;

describe.each(kinds)("%s in a clone", (_, put, message) => {
  it.each(files)(
    "that is in place of the file %s ends `innkeep %s` with an error that names the file",
    async (name, words) => {
      const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_a", INNKEEP_TOKEN: "sdm_a" });
      const path = join(line.cwd, name);
      await mkdir(dirname(path), { recursive: true });
      if (name.startsWith("faq/"))
        await writeFile(join(line.cwd, "faq", "two.md"), "---\nquestion: Two?\n---\n\nYes.\n");
      await put(path);
      const transport = async () => ({ status: 200, headers: {}, text: "[]" });
      const ran = await line.run(words.split(" "), { world: { transport } });
      expect(ran.exit).not.toBe(0);
      expect(ran.stdout + ran.stderr).toMatch(message);
    },
  );
});
