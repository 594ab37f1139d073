import { systemReason } from "../words/system-reason.ts";
import { commandLineOf } from "./command-line.ts";
import type { CliError } from "./core/cli-error.ts";
import type { Context, Sink } from "./core/context.ts";
import { exitCodes } from "./core/exit-codes.ts";
import { cliErrorOf } from "./core/failures.ts";
import { addLines, addToSummary, annotation, markdownBlock, maskLine } from "./core/github-actions.ts";
import { runCli } from "./core/program.ts";
import { environmentOf, inputsOf, secretLines } from "./inputs.ts";

/**
 * Runs one step of GitHub Actions: hides its secrets, runs the command that its inputs mean, and gives the exit code.
 * (rule L21)
 */
export async function runAction(given: Context): Promise<number> {
  const inputs = inputsOf(given.env);
  const context = { ...given, env: environmentOf(given.env, inputs) };
  for (const secret of secretLines(context.env)) context.io.stdout.write(maskLine(secret));
  let argv: readonly string[];
  try {
    argv = await commandLineOf(context, inputs, {
      "run-started-at": context.env.STATE_startedAt,
      // Nobody can be asked in a step.
      yes: "true",
    });
  } catch (error) {
    return refuse(context, cliErrorOf(error), inputs.get("best-effort")?.toLowerCase() === "true");
  }
  const heard = listening(context.io.stdout);
  const code = await runCli(argv, { ...context, io: { ...context.io, stdout: heard } });
  const name = argv.slice(0, 2).join(" ");
  if (name.startsWith("faq ")) await showPlan(context, name, heard.text());
  if (code !== 0 && name !== "feedback send") context.io.stderr.write(failed(name, code));
  return code;
}

/** The inputs cannot be read: an error beside the run, or a warning if the step must not break the job. */
function refuse({ io }: Context, { message, details, next }: CliError, isBestEffort: boolean): number {
  const issues = (details.issues ?? []).map((issue) => `${issue.path} ${issue.message}`);
  const text = [message, ...issues, ...(next ? [next] : [])].join("\n");
  io.stderr.write(annotation(isBestEffort ? "warning" : "error", "Innkeep", text));
  return isBestEffort ? 0 : exitCodes.usage.code;
}

function failed(name: string, code: number): string {
  const meaning = Object.values(exitCodes).find((one) => one.code === code)?.meaning ?? "";
  return annotation(
    "error",
    `innkeep ${name}`,
    `${meaning} The log of the step has more. (exit code ${code})`,
  );
}

/** A sink that also keeps what is written to it. */
function listening(sink: Sink): Sink & { text(): string } {
  let text = "";
  return {
    isTerminal: sink.isTerminal,
    columns: sink.columns,
    write(more) {
      text += more;
      sink.write(more);
    },
    text: () => text,
  };
}

/** A comment of GitHub has at most 65,536 characters. */
const mostPlan = 60_000;

/** Writes the plan as Markdown: as the output `plan`, for a comment, and on the summary page of the job. */
async function showPlan({ env, newId, io }: Context, name: string, printed: string): Promise<void> {
  const plan = printed.trimEnd();
  if (plan === "") return;
  const cut = plan.length > mostPlan ? `${plan.slice(0, mostPlan).toWellFormed()}\n[…]` : plan;
  const markdown = `### innkeep ${name}\n\n${markdownBlock(cut)}`;
  try {
    if (env.GITHUB_OUTPUT) {
      await addLines(env.GITHUB_OUTPUT, { name: "plan", value: markdown, delimiter: `innkeep_${newId()}` });
    }
    if (env.GITHUB_STEP_SUMMARY) await addToSummary(env.GITHUB_STEP_SUMMARY, `${markdown}\n`);
  } catch (cause) {
    io.stderr.write(`The plan cannot be written for the runner (${systemReason(cause)}).\n`);
  }
}
