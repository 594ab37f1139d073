import { CommanderError } from "commander";
import { redactText } from "../client/redact.ts";
import { painter } from "./color.ts";
import type { Context } from "./context.ts";
import { DryRun, textOfRequest } from "./dry-run.ts";
import { type Exit, exitCodes } from "./exit-codes.ts";
import { type Failure, failureOf } from "./failure.ts";
import { printable } from "./plain-text.ts";
import { createProgram } from "./program.ts";

/**
 * Runs one command line (without the program's own name) and gives the exit code. Everything it says goes to the
 * context's streams: data to standard output, all else to standard error.
 */
export async function runCli(argv: readonly string[], context: Context): Promise<number> {
  const outcome: { exit: Exit } = { exit: "ok" };
  try {
    const program = await createProgram(argv, { context, outcome });
    await program.parseAsync(argv.length > 0 ? argv : ["--help"], { from: "user" });
    return exitCodes[outcome.exit].code;
  } catch (error) {
    return exitCodes[end(error, argv, context)].code;
  }
}

/** Says how a command ended early, and gives its exit. */
function end(error: unknown, argv: readonly string[], context: Context): Exit {
  if (error instanceof CommanderError && error.exitCode === 0) return "ok";
  if (context.signal.aborted) return "interrupted";
  const json = argv.includes("--json");
  if (error instanceof DryRun) return showRequest(error, json, context);
  const failure = failureOf(error);
  if (json) context.io.stderr.write(`${jsonOf(failure)}\n`);
  else if (!isShownHelp(error)) context.io.stderr.write(`${textOf(failure, argv, context)}\n`);
  if (context.env.INNKEEP_DEBUG && error instanceof Error)
    context.io.stderr.write(`${plain(error.stack ?? "")}\n`);
  return failure.exit;
}

function showRequest({ request }: DryRun, json: boolean, { io }: Context): Exit {
  io.stdout.write(
    `${json ? JSON.stringify({ dryRun: true, ...request }) : printable(textOfRequest(request))}\n`,
  );
  return "ok";
}

const jsonOf = ({ message, exit, ...rest }: Failure): string =>
  redactText(JSON.stringify({ error: message, ...rest, exitCode: exitCodes[exit].code }));

function textOf(failure: Failure, argv: readonly string[], context: Context): string {
  const { message, issues = [], next, requestId } = failure;
  const paint = painter(
    context,
    { color: argv.includes("--no-color") ? "never" : undefined },
    context.io.stderr,
  );
  return [
    `${paint("red", "error:")} ${plain(message)}`,
    ...issues.map(({ path, message: fault }) => plain(`  ${path} ${fault}`)),
    ...(next ? [plain(next)] : []),
    ...(requestId ? [paint("dim", plain(`Request id: ${requestId}`))] : []),
  ].join("\n");
}

const plain = (text: string): string => redactText(printable(text));

/** A group of commands was named without a command: its help says it all. */
const isShownHelp = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === "commander.help";
