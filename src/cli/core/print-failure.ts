import { type Command, CommanderError } from "commander";
import { redactText } from "../../client/redact.ts";
import type { Failure } from "./cli-error.ts";
import { type Painter, painter } from "./color.ts";
import type { Context, GlobalFlags } from "./context.ts";
import { DryRun, textOfRequest } from "./dry-run.ts";
import { type Exit, exitCodes } from "./exit-codes.ts";
import { failureOf } from "./failures.ts";
import { withFlagNames } from "./flag-names.ts";
import { asLogged, asLoggedJson, printable } from "./plain-text.ts";

/** Prints why a command ended early, and gives its exit. */
export function printFailure(
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
