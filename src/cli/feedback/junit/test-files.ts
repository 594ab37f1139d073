import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import type { FeedbackFiles } from "../../../client/body.ts";
import type { SentFile } from "../../../client/file-content.ts";
import { feedbackFiles } from "../../../contract/limits.ts";
import { ciFolders } from "../../core/ci-run.ts";
import type { Context } from "../../core/context.ts";
import { isUnder } from "../../core/inside-folder.ts";
import { checkSentFiles } from "../../delivery/files.ts";
import { asPdf } from "../../delivery/text-attachment.ts";
import type { Folders } from "./test-place.ts";
import type { TestResult } from "./test-result.ts";

type Field = keyof FeedbackFiles;

/** The files of a test that can be sent, and what is said about the others. */
export interface TestFiles {
  readonly files: FeedbackFiles;
  readonly left: readonly string[];
}

const fields = ["images", "videos", "attachments"] as const;
const mostLooked = 50;

/** The folders from which files are taken: a report that strangers wrote must not name any file of the machine. */
const rootsOf = ({ env }: Pick<Context, "env">, { cwd, workspace }: Folders): string[] =>
  [cwd, workspace, ciFolders(env).temporary, tmpdir()].flatMap((folder) => folder || []);

/** Checks the files that a report names for a test. Their paths start from the folder of the command, the checkout, or the report. */
export async function filesOf(
  context: Pick<Context, "env">,
  test: TestResult,
  folders: Folders,
): Promise<TestFiles> {
  const roots = await Promise.all(
    rootsOf(context, folders).map((folder) => realpath(folder).catch(() => folder)),
  );
  const bases = [folders.cwd, folders.workspace, dirname(resolve(folders.cwd, test.report))];
  const found: Record<Field, SentFile[]> = { images: [], videos: [], attachments: [] };
  const left: string[] = [];
  for (const given of test.attachments.slice(0, mostLooked)) {
    const checked = await checkFile(given, bases, roots);
    const place = "field" in checked ? found[checked.field] : undefined;
    if ("field" in checked && place && place.length < feedbackFiles[checked.field].most)
      place.push(checked.file);
    else left.push(`${given} (${"field" in checked ? "there are too many" : checked.why})`);
  }
  return { files: found, left: [...left, ...test.attachments.slice(mostLooked)] };
}

type CheckedFile = { readonly field: Field; readonly file: SentFile } | { readonly why: string };

async function checkFile(
  given: string,
  bases: readonly string[],
  roots: readonly string[],
): Promise<CheckedFile> {
  const path = await existing(given, bases);
  if (path === undefined) return { why: "there is no such file" };
  if (!roots.some((root) => isUnder(root, path))) return { why: "it is outside the checkout" };
  const faults: string[] = [];
  for (const field of fields) {
    const rules = { ...feedbackFiles[field], flag: "" };
    const given = field === "attachments" ? { ...rules, converted: asPdf } : rules;
    const checked = await checkSentFiles("/", [path], given);
    const [file] = checked.value;
    if (file) return { field, file };
    const own = checked.faults.map(({ message }) => message);
    if (own.every((message) => !isOfKind(message))) faults.push(...own);
  }
  return { why: faults[0] ?? "no file of this kind can be sent" };
}

/** Whether a fault says that the file is of another kind. */
const isOfKind = (message: string): boolean => message.includes("; its bytes are ");

async function existing(given: string, bases: readonly string[]): Promise<string | undefined> {
  for (const base of bases) {
    const path = await realpath(resolve(base, given)).catch(() => undefined);
    if (path !== undefined) return path;
  }
  return undefined;
}
