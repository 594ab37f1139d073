import { basename, dirname, resolve } from "node:path";
import { hashOf } from "./entry.ts";
import { checkFields, rawFieldsOf, splitMarkdown } from "./front-matter.ts";
import { fieldsInList } from "./list-source.ts";
import type { EarlierEntry, Item } from "./plan.ts";

const mostCommits = 100;
const mostBytes = 67_108_864;

/**
 * What the files of conflicts had in earlier commits, for servers that do not remember the last push. Nothing where there
 * is no Git, or no history: a shallow clone has none.
 */
export async function earlierVersions(
  cwd: string,
  conflicts: readonly Item[],
): Promise<ReadonlyMap<string, readonly EarlierEntry[]>> {
  const files = conflicts.flatMap(({ mine }) => mine?.file ?? []);
  const found = new Map<string, readonly EarlierEntry[]>();
  for (const file of files) found.set(file, await versionsOf(resolve(cwd, file.replace(/#\d+$/, ""))));
  return found;
}

async function versionsOf(path: string): Promise<EarlierEntry[]> {
  const git = (...words: string[]) => run(dirname(path), words);
  const commits = await git("log", `--max-count=${mostCommits}`, "--format=%H", "--", basename(path));
  const versions: EarlierEntry[] = [];
  for (const commit of commits?.split("\n").filter((line) => line !== "") ?? []) {
    const text = await git("show", `${commit}:./${basename(path)}`);
    if (text !== undefined) versions.push(...entriesIn(path, text));
  }
  return versions;
}

function entriesIn(path: string, text: string): EarlierEntry[] {
  if (!/\.(md|markdown)$/i.test(path)) return fieldsInList(path, text).map(versionOf);
  const split = splitMarkdown(text);
  return "fault" in split ? [] : [versionOf(checkFields(rawFieldsOf(split.value, basename(path))).value)];
}

const versionOf = (fields: {
  question: string;
  answer: string;
  sortOrder: number | undefined;
}): EarlierEntry => ({
  text: hashOf(fields),
  sortOrder: fields.sortOrder,
});

/** The output of Git; undefined if it fails. */
async function run(cwd: string, words: readonly string[]): Promise<string | undefined> {
  const { execFile } = await import("node:child_process");
  return new Promise((done) => {
    execFile(
      "git",
      ["--literal-pathspecs", ...words],
      { cwd, maxBuffer: mostBytes, encoding: "utf8" },
      (error, text) => done(error ? undefined : text),
    );
  });
}
