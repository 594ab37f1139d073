import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trimmedMarkdown } from "../../contract/content-text.ts";
import { writePrivately } from "../../credentials/folders.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { DryRun } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { note, printOne } from "../core/output.ts";
import { type FaqApi, faqApi, faqDetails, findFaq } from "./api.ts";
import { checkFields, type FileFields, markdownOf, rawFieldsOf, slugOf, splitMarkdown } from "./entry.ts";
import { hashOf } from "./plan.ts";
import { faultsError } from "./source.ts";

interface Edited {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly sortOrder: number;
}

/** Opens an entry in the editor and saves the changes. After a failure, the text is in a file. */
export async function editFaqInEditor(invocation: Invocation, given: string): Promise<undefined> {
  const api = await faqApi(invocation);
  const { faq } = await findFaq(api, given);
  const { question, answer, sortOrder } = faq;
  const before = markdownOf({ id: undefined, question, answer, sortOrder });
  const after = await edited(invocation, `${slugOf(question, new Set())}.md`, before);
  if (after === before) {
    note(invocation, "Nothing was changed.");
    printOne(invocation, faq, () => faqDetails(faq));
    return;
  }
  try {
    const saved = await save(api, faq, fieldsIn(after));
    note(invocation, `Changed FAQ entry ${faq.id}.`);
    printOne(invocation, saved, () => faqDetails(saved));
  } catch (error) {
    throw error instanceof DryRun ? error : withRecovery(invocation, { id: faq.id, text: after }, error);
  }
}

async function edited({ context }: Invocation, name: string, text: string): Promise<string> {
  const { env } = context;
  const command = env.VISUAL || env.EDITOR || (context.platform === "win32" ? "notepad" : "vi");
  const folder = await mkdtemp(join(tmpdir(), "innkeep-"));
  try {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    const status = await context.openEditor(command, file);
    if (status !== 0)
      throw usageError(
        `The editor \`${command}\` ended with status ${status}. Nothing was changed.`,
        "Name another editor in VISUAL or EDITOR, or use --question, --answer and --sort-order without an editor.",
      );
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the fields of the document. Throws a usage error that names every fault. */
function fieldsIn(text: string): FileFields {
  const split = splitMarkdown(text);
  if ("fault" in split) throw faqsFault("The document", [split.fault]);
  const { value, faults } = checkFields(rawFieldsOf({ ...split.value, heading: undefined }, ""));
  if (faults.length > 0) throw faqsFault("The document", faults);
  return value;
}

/**
 * Saves the changed fields. Throws a CliError if somebody else has changed the entry while the editor was open.
 */
async function save(
  api: FaqApi,
  before: Edited,
  { question, answer, sortOrder }: FileFields,
): Promise<Edited> {
  const { faq: now } = await findFaq(api, before.id);
  if (hashOf(now) !== hashOf(before) || now.sortOrder !== before.sortOrder)
    throw new CliError({
      exit: "conflict",
      code: "changed_meanwhile",
      message: "Somebody else changed this entry while you edited it. Nothing was saved.",
    });
  return api.update(before.id, {
    ...(question.trim() !== before.question && { question }),
    ...(trimmedMarkdown(answer) !== before.answer && { answer }),
    ...(sortOrder !== undefined && sortOrder !== before.sortOrder && { sortOrder }),
  });
}

/** Writes the unsaved `text` into a file. Returns an error that names the file. */
function withRecovery(
  { context, stateFolder }: Invocation,
  { id, text }: { readonly id: string; readonly text: string },
  error: unknown,
): unknown {
  const { next, ...failure } = failureOf(error);
  const at = context.clock.now().toISOString().replaceAll(":", "-");
  const file = join(stateFolder, "unsaved", `faq-${id}-${at}.md`);
  const where = kept(() => writePrivately(file, text, context.newId))
    ? `Your text is in ${file}`
    : `Your text:\n${text}`;
  return new CliError({ ...failure, next: [next, where].filter((part) => part).join("\n") });
}

/** Returns whether the file was written. If writing failed, the caller puts the text into the error message. */
function kept(write: () => void): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}

/** Returns the same error as `faultsError` for the faults of one document. */
const faqsFault = (file: string, messages: readonly string[]) =>
  faultsError(messages.map((message) => ({ file, message })));
