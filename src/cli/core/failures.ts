import { type Command, CommanderError } from "commander";
import { issuesIn } from "../../client/answer.ts";
import { credentialKinds } from "../../client/credential-kinds.ts";
import {
  ConnectionError,
  InvalidInputError,
  MissingCredentialError,
  ServerError,
  UnexpectedAnswerError,
} from "../../client/errors.ts";
import { redactText } from "../../client/redact.ts";
import { KeychainError } from "../../credentials/keychain.ts";
import { DamagedStoreError } from "../../credentials/store.ts";
import { CliError, type Exit, exitCodes, type Failure } from "./cli-error.ts";
import type { Context, GlobalFlags } from "./context.ts";
import { DryRun, textOfRequest } from "./dry-run.ts";
import { asLogged, asLoggedJson, type Painter, painter, printable } from "./plain-text.ts";
import { withFlagNames } from "./usage-faults.ts";

/** Prints why a command ended early. Returns its exit. */
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

/** Whether a group was called without a command, so that its help was shown. */
const isShownHelp = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === "commander.help";

/** Describes any error as a failure: the exit, what happened, and the next step. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError)
    return { exit: error.exit, code: error.code, message: error.message, next: error.next, ...error.details };
  if (error instanceof CommanderError) return { exit: "usage", code: "usage", message: usageOf(error) };
  if (error instanceof ServerError) return serverFailure(error);
  if (error instanceof ConnectionError) return connectionFailure(error);
  if (error instanceof MissingCredentialError) {
    return { exit: "authentication", code: "missing_credential", message: error.message };
  }
  if (error instanceof InvalidInputError) return { exit: "usage", code: "usage", message: error.message };
  if (error instanceof KeychainError)
    return { ...unexpectedFailure(error, "keychain"), exit: "authentication", next: keychainNext };
  if (error instanceof UnexpectedAnswerError)
    return { ...unexpectedFailure(error, "unexpected_answer"), next: addressNext };
  if (error instanceof DamagedStoreError) return unexpectedFailure(error, "damaged_store");
  return programFailure(error);
}

/** Any error as a CliError. */
export const cliErrorOf = (error: unknown): CliError =>
  error instanceof CliError ? error : new CliError(failureOf(error));

/**
 * Failures of the server and of the operator's commands. They are in other bundles, so their errors have other classes
 * than ours. This recognises them by name.
 */
function programFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return unexpectedFailure(error, "unexpected");
  if (isRefusal(error)) {
    const { status, code, message, details } = error;
    return serverFailure(new ServerError({ status, code, message, issues: issuesIn(details) }));
  }
  if (error.name === "SettingError") return { ...unexpectedFailure(error, "setting"), exit: "usage" };
  if (error.name === "FolderInUse") return { ...unexpectedFailure(error, "folder_in_use"), exit: "conflict" };
  if ("code" in error && error.code === "EADDRINUSE") {
    return portInUse(error);
  }
  return unexpectedFailure(error, "unexpected");
}

function portInUse(error: Error): Failure {
  const port = "port" in error ? ` ${error.port}` : "";
  const message = `Port${port} is taken: something else listens there.`;
  const next = "Stop it, or take another port with --port; --port 0 takes any that is free.";
  return { exit: "conflict", code: "port_in_use", message, next };
}

interface Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
}

const isRefusal = (error: Error): error is Refusal =>
  error.name === "ApiError" && "status" in error && "code" in error && "details" in error;

const unexpectedFailure = (error: unknown, code: string): Failure => ({
  exit: "unexpected",
  code,
  message: error instanceof Error ? error.message : String(error),
});

/** The message of a parser error that `explainParserError` did not replace. */
const usageOf = ({ code, message }: CommanderError): string =>
  code === "commander.help" ? "Name a command. `--help` lists them." : message.replace(/^error: /, "");

const addressNext = "Check --base-url and INNKEEP_BASE_URL.";

const variables = Object.values(credentialKinds).map(({ variable }) => variable);

const keychainNext = `Unlock it and try again, or set ${variables.slice(0, -1).join(", ")} or ${variables.at(-1)}.`;

function serverFailure(error: ServerError): Failure {
  const { status, code, message, requestId, retryAfterSeconds, issues } = error;
  return {
    exit: exitOf(error),
    code,
    message,
    next: nextAfter(error),
    status,
    requestId,
    retryAfterSeconds,
    ...(issues.length > 0 && { issues }),
  };
}

const exitsByStatus: Readonly<Record<number, Exit>> = {
  400: "usage",
  401: "authentication",
  403: "forbidden",
  404: "notFound",
  405: "notFound",
  409: "conflict",
  410: "notFound",
  412: "conflict",
  413: "usage",
  415: "usage",
  422: "conflict",
  428: "conflict",
  429: "tryLater",
};

function exitOf({ status, code }: ServerError): Exit {
  if (code === "invalid_code") return "authentication";
  if (code === "idempotency_in_progress" || status >= 500) return "tryLater";
  return exitsByStatus[status] ?? "unexpected";
}

function nextAfter({ status, code, retryAfterSeconds }: ServerError): string | undefined {
  if (code === "sign_in_required")
    return "This server lets only a person do that, in the console. A newer one may let a token.";
  if (status === 401)
    return "`innkeep auth status` shows which credential was sent. Keys and tokens are made in the console; `innkeep auth login` renews a tester's.";
  if (status === 407) return proxyNext;
  if (isAbsent(status, code)) return absentNext;
  if (code === "idempotency_mismatch") return "Use another --idempotency-key, or none.";
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  return undefined;
}

/** Innkeep's own refusals have a code. */
const isAbsent = (status: number, code: string): boolean =>
  [404, 405].includes(status) && code === `http_${status}`;

const absentNext =
  "Another server than Innkeep may not have what this command needs. `innkeep doctor` shows which server answers there.";

function connectionFailure({ code, message, proxy }: ConnectionError): Failure {
  const isProxy = proxy !== undefined || code === "bad_proxy";
  return {
    exit: "tryLater",
    code: code.toLowerCase(),
    message,
    next: isProxy ? proxyNext : code === "ECONNREFUSED" ? startNext : addressNext,
  };
}

/** What to do about a proxy that does not work. */
export const proxyNext =
  "HTTP_PROXY and HTTPS_PROXY name the proxy: check the address, or `unset` them. NO_PROXY lists hosts that are reached without it.";

const startNext = "Is the server running? `innkeep serve --demo` starts one; INNKEEP_BASE_URL names another.";
