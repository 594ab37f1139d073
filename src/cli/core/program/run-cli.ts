import { type Command, CommanderError } from "commander";
import { redactText } from "../../../client/calls/redact.ts";
import { isBestEffort } from "../../feedback/sending/best-effort.ts";
import { asLogged, asLoggedJson } from "../ci/ci-log.ts";
import { DryRun, textOfRequest } from "../connection/dry-run.ts";
import type { Failure } from "../failures/cli-error.ts";
import { type Exit, exitCodes } from "../failures/exit-codes.ts";
import { failureOf } from "../failures/failure.ts";
import { withFlagNames } from "../failures/flag-names.ts";
import { allMissing } from "../failures/missing-flags.ts";
import { type Painter, painter } from "../output/color.ts";
import { printable } from "../output/plain-text.ts";
import { calledBy } from "./called-command.ts";
import type { Context, GlobalFlags } from "./context.ts";
import { createProgram } from "./program.ts";

/**
 * Runs one command line (without the program's name) and gives the exit code. Writes to the context's streams: data
 * to standard output, everything else to standard error.
 */
export async function runCli(argv: readonly string[], context: Context): Promise<number> {
  const outcome: { exit: Exit } = { exit: "ok" };
  const program = await createProgram(argv, { context, outcome });
  try {
    await program.parseAsync(argv.length > 0 ? argv : ["--help"], { from: "user" });
    return exitCodes[outcome.exit].code;
  } catch (error) {
    // The parser may have stopped before `--json`.
    const flags: GlobalFlags = { json: argv.includes("--json"), ...program.opts<GlobalFlags>() };
    const fault = allMissing(error, program, argv);
    if (isBestEffort(argv) && isFailure(fault, context)) {
      const { warnUnreadAndContinue } = await import("../../feedback/sending/best-effort-warning.ts");
      return exitCodes[await warnUnreadAndContinue(context, flags, fault)].code;
    }
    return exitCodes[end(fault, flags, { context, command: calledBy(argv, program) })].code;
  }
}

/** Whether a command ended early because of a fault, and not for help, `--dry-run` or an interruption. */
const isFailure = (error: unknown, { signal }: Context): boolean =>
  !signal.aborted && !(error instanceof DryRun) && !(error instanceof CommanderError && error.exitCode === 0);

/** Prints why a command ended early, and gives its exit. */
function end(
  error: unknown,
  flags: GlobalFlags,
  { context, command }: { readonly context: Context; readonly command: Command },
): Exit {
  if (error instanceof CommanderError && error.exitCode === 0) return "ok";
  if (context.signal.aborted) return "interrupted";
  if (error instanceof DryRun) return showRequest(error, flags, context);
  const { env } = context;
  const { stderr } = context.io;
  const failure = withFlagNames(failureOf(error), command);
  if (flags.json) stderr.write(`${asLoggedJson(env, jsonOf(failure))}\n`);
  else if (!isShownHelp(error))
    stderr.write(`${asLogged(env, textOf(failure, painter(context, flags, stderr)))}\n`);
  if (env.INNKEEP_DEBUG && error instanceof Error)
    stderr.write(`${asLogged(env, plain(error.stack ?? ""))}\n`);
  return failure.exit;
}

function showRequest({ request }: DryRun, { json }: GlobalFlags, { io, env }: Context): Exit {
  const shown = json
    ? asLoggedJson(env, JSON.stringify({ dryRun: true, ...request }))
    : asLogged(env, printable(textOfRequest(request)));
  io.stdout.write(`${shown}\n`);
  return "ok";
}

const jsonOf = ({ message, exit, ...rest }: Failure): string =>
  redactText(JSON.stringify({ error: message, ...rest, exitCode: exitCodes[exit].code }));

function textOf({ message, issues = [], next, requestId }: Failure, paint: Painter): string {
  return [
    `${paint("red", "error:")} ${plain(message)}`,
    ...issues.map(({ path, message: fault }) => plain(`  ${path} ${fault}`)),
    ...(next ? [plain(next)] : []),
    ...(requestId ? [paint("dim", plain(`Request id: ${requestId}`))] : []),
  ].join("\n");
}

const plain = (text: string): string => redactText(printable(text));

/** A group was called without a command: its help is shown. */
const isShownHelp = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === "commander.help";
