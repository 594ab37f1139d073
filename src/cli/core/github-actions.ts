import { appendFile } from "node:fs/promises";
import { systemReason } from "../../words/phrases.ts";
import { oneLine } from "../../words/visible.ts";
import { isGitHubActions } from "./ci.ts";
import type { Context, Invocation } from "./context.ts";

/** Stores when the job started. GitHub Actions calls this function before the steps of the job. (rule L21) */
export async function recordStart({ env, clock, newId, io }: Context): Promise<void> {
  const file = env.GITHUB_STATE;
  if (!file) return;
  try {
    const value = clock.now().toISOString();
    await addLines(file, { name: "startedAt", value, delimiter: `innkeep_${newId()}` });
  } catch (cause) {
    io.stderr.write(`The start of the job cannot be recorded (${systemReason(cause)}).\n`);
  }
}

/** The title of an annotation, and the line of a file where GitHub shows it. */
interface AnnotationHead {
  readonly title: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** Returns a log line that GitHub Actions shows as an annotation of the run or of a file. */
export function annotation(
  level: "notice" | "warning" | "error",
  head: string | AnnotationHead,
  message: string,
): string {
  const { title, file, line } = typeof head === "string" ? { title: head } : head;
  const traits = Object.entries({ file, line: file === undefined ? undefined : line, title })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escaped(String(value), /[%\r\n:,]/g)}`);
  return `::${level} ${traits.join(",")}::${escaped(message, /[%\r\n]/g)}\n`;
}

/**
 * Writes an annotation to the job log. Writes nothing with `--json`, because standard error then contains only
 * JSON. (rule L1)
 */
export function annotateJob({ context, flags }: Invocation, line: string): void {
  if (isGitHubActions(context.env) && !flags.json) context.io.stderr.write(line);
}

/** Adds Markdown to the summary page of a job. `file` is the value of GITHUB_STEP_SUMMARY. */
export const addToSummary = (file: string, markdown: string): Promise<void> =>
  appendFile(file, `${markdown}\n`);

interface StepOutput {
  readonly name: string;
  readonly value: string;
  readonly delimiter: string;
}

/** Writes a step's output on one line to `file`, the value of GITHUB_OUTPUT. The delimiter must be random. */
export const addOutput = (file: string, { value, ...output }: StepOutput): Promise<void> =>
  addLines(file, { ...output, value: oneLine(value) });

/**
 * Writes a step's output of several lines, or its state. For the state, `file` is the value of GITHUB_STATE.
 */
export const addLines = (file: string, { name, value, delimiter }: StepOutput): Promise<void> =>
  appendFile(file, `${name}<<${delimiter}\n${value}\n${delimiter}\n`);

/** Returns a line for the log of the job. After this line GitHub shows `***` instead of the secret. */
export const maskLine = (secret: string): string => `::add-mask::${escaped(secret, /[%\r\n]/g)}\n`;

/** Returns a Markdown code block that shows every character of the text unchanged. */
export function markdownBlock(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** Returns the text of a stranger as one line of Markdown that shows every character unchanged. */
export const markdownText = (text: string): string => oneLine(text).replace(/[!-/:-@[-`{-~]/g, "\\$&");

/** Returns a Markdown link. If the address is not a web address, returns only the text. */
export function markdownLink(text: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return markdownText(text);
  return `[${markdownText(text)}](<${escaped(url.href, /[<>()\\|]/g)}>)`;
}

const escaped = (text: string, characters: RegExp): string =>
  text.replace(
    characters,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
