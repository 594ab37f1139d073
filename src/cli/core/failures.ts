import { dirname } from "node:path";
import { type Argument, type Command, CommanderError, InvalidArgumentError, type Option } from "commander";
import { credentialKinds, MissingCredentialError } from "../../client/connection.ts";
import {
  ConnectionError,
  InvalidInputError,
  ServerError,
  UnexpectedAnswerError,
} from "../../client/errors.ts";
import { redactText } from "../../client/redact.ts";
import { issuesIn } from "../../client/send.ts";
import type { Issue } from "../../contract/errors.ts";
import { KeychainError } from "../../credentials/keychain.ts";
import { DamagedStoreError } from "../../credentials/store.ts";
import { closest, fullDiskText, isFullDisk } from "../../words/phrases.ts";
import { CliError, type Exit, exitCodes, type Failure, usageError } from "./cli-error.ts";
import { wordsOf } from "./command.ts";
import { DryRun, textOfRequest } from "./connection.ts";
import type { Context, GlobalFlags } from "./context.ts";
import { asLogged, asLoggedJson, type Painter, painter, printable } from "./output.ts";

/** Prints the reason why a command failed. Returns the `Exit` of the command, such as `usage`. (rule L1) */
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

/** Whether a group of commands was called without a command. The parser has already printed its help. */
const isShownHelp = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === "commander.help";

/** Converts any error to a failure. A failure has an `exit`, a message and often a next step. */
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

/** Converts any error to a CliError. */
export const cliErrorOf = (error: unknown): CliError =>
  error instanceof CliError ? error : new CliError(failureOf(error));

/**
 * Converts an error of the server, or of an operator's command. Each bundle has its own classes, so
 * `instanceof` fails.
 */
function programFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return unexpectedFailure(error, "unexpected");
  if (isRefusal(error)) {
    const { status, code, message, details } = error;
    return serverFailure(new ServerError({ status, code, message, issues: issuesIn(details) }));
  }
  if (error.name === "SettingError") return { ...unexpectedFailure(error, "setting"), exit: "usage" };
  if (error.name === "FolderInUse") return { ...unexpectedFailure(error, "folder_in_use"), exit: "conflict" };
  if (isFullDisk(error)) return { ...unexpectedFailure(error, "storage"), message: fullDiskMessage(error) };
  if ("code" in error && error.code === "EADDRINUSE") {
    return portInUse(error);
  }
  return unexpectedFailure(error, "unexpected");
}

const fullDiskMessage = (error: NodeJS.ErrnoException): string =>
  error.path === undefined
    ? "A disk is full, so a file cannot be written: free some space on it, then try again."
    : fullDiskText(dirname(error.path), error);

function portInUse(error: Error): Failure {
  const port = "port" in error ? ` ${error.port}` : "";
  const message = `Port${port} is in use: another program listens there.`;
  const next = "Stop that program, or choose another port with --port; --port 0 chooses any free port.";
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

/** Returns the message of a parser error that `explainParserError` did not replace. */
const usageOf = ({ code, message }: CommanderError): string =>
  code === "commander.help" ? "Name a command. `--help` lists them." : message.replace(/^error: /, "");

const addressNext = "Check --base-url and INNKEEP_BASE_URL.";

const variables = Object.values(credentialKinds).map(({ variable }) => variable);

const keychainNext = `Unlock the keychain and try again, or set ${variables.slice(0, -1).join(", ")} or ${variables.at(-1)}.`;

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
    return "This server lets only a person do that, in the console. A newer server may also accept a token.";
  if (status === 401)
    return "`innkeep auth status` shows which credential was sent. Keys and tokens are created in the console; `innkeep auth login` renews the token of a tester's device.";
  if (status === 407) return proxyNext;
  if (isAbsent(status, code)) return absentNext;
  if (code === "idempotency_mismatch") return "Use another --idempotency-key, or none.";
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  return undefined;
}

/** Whether the server lacks the endpoint. An existing endpoint uses a more specific code than `http_404`. */
const isAbsent = (status: number, code: string): boolean =>
  [404, 405].includes(status) && code === `http_${status}`;

const absentNext =
  "A server that is not Innkeep may not have what this command needs. `innkeep doctor` shows which program answers at this address.";

function connectionFailure({ code, message, proxy }: ConnectionError): Failure {
  const isProxy = proxy !== undefined || code === "bad_proxy";
  return {
    exit: "tryLater",
    code: code.toLowerCase(),
    message,
    next: isProxy ? proxyNext : code === "ECONNREFUSED" ? startNext : addressNext,
  };
}

/** The text that explains what to do if a proxy does not work. */
export const proxyNext =
  "HTTP_PROXY and HTTPS_PROXY name the proxy: check the address, or `unset` them. NO_PROXY lists hosts that are reached without a proxy.";

const startNext =
  "Is the server running? `innkeep serve --demo` starts one; INNKEEP_BASE_URL selects another server.";

/** Returns the list to which the parser adds wrong values. If the list is not empty, no command may run. */
export function collectValueFaults(program: Command): readonly ParserFault[] {
  const faults: ParserFault[] = [];
  for (const command of withAll(program)) {
    for (const option of command.options) collectFrom(option, option.long ?? option.flags, faults);
    for (const argument of command.registeredArguments) collectFrom(argument, `<${argument.name()}>`, faults);
  }
  return faults;
}

const withAll = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withAll)];

function collectFrom(value: Option | Argument, path: string, faults: ParserFault[]): void {
  const { parseArg } = value;
  if (!parseArg) return;
  value.parseArg = (given, before) => {
    try {
      return parseArg(given, before);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      faults.push({ path, ...faultOfValue(error.message, given) });
      return before;
    }
  };
}

/** Converts a sentence of the parser or of this program to a fault. */
function faultOfValue(sentence: string, given: string): Pick<ParserFault, "message" | "meant"> {
  const [, list] = /^(?:Allowed choices are|It must be one of) (.+)\.$/.exec(sentence) ?? [];
  if (list !== undefined)
    return { message: `must be one of ${list}, not \`${given}\``, meant: closest(given, list.split(", ")) };
  const said = sentence.replace(/^It |\.$/g, "");
  return { message: `${said.charAt(0).toLowerCase()}${said.slice(1)}, not \`${given}\`` };
}

/** A fault of one flag or word of a command line. `path` and `message` together form a sentence. */
interface ParserFault {
  readonly path: string;
  readonly message: string;
  /** The word that the user probably meant. */
  readonly meant?: string | undefined;
  /** What the user can do next. */
  readonly next?: string | undefined;
}

/** Replaces an error of the parser with one that names all faults. Returns other errors unchanged. */
export function explainParserError(
  error: unknown,
  {
    argv,
    program,
    wrong,
  }: {
    readonly argv: readonly string[];
    readonly program: Command;
    /** The faults of values that the parser has collected. */
    readonly wrong: readonly ParserFault[];
  },
): unknown {
  const isOurs = !(error instanceof CommanderError);
  if (isOurs || error.exitCode === 0 || error.code === "commander.help") return error;
  const command = calledBy(argv, program);
  if (/^commander\.missing/.test(error.code)) return missingError(command, wrong);
  return faultsError([...wrong, faultOf(error, command)]);
}

/** Returns the usage error for these faults: a sentence for one fault, a list for several. */
export function faultsError(faults: readonly ParserFault[]): CliError {
  const [only, ...others] = faults;
  if (!only || others.length > 0)
    return usageError(`${faults.length} things are wrong:`, undefined, { issues: faults.map(issueOf) });
  const meant = only.meant === undefined ? "" : `\n(Did you mean ${only.meant}?)`;
  return usageError(`${only.path} ${only.message}.${meant}`, only.next);
}

const issueOf = ({ path, message, meant }: ParserFault): Issue => ({
  path,
  message: meant === undefined ? message : `${message}: did you mean ${meant}?`,
});

function missingError(command: Command, wrong: readonly ParserFault[]): CliError {
  const missing = [...missingArguments(command), ...missingMandatory(command)].map((path) => ({
    path,
    message: "is missing",
  }));
  if (wrong.length > 0) return faultsError([...wrong, ...missing]);
  const hasFlagsOnly = missing.every(({ path }) => path.startsWith("-"));
  const what = hasFlagsOnly ? "flag" : "value";
  const count = missing.length === 1 ? `one ${what}` : `${missing.length} ${what}s`;
  return usageError(`The command needs ${count} more:`, undefined, { issues: missing });
}

function faultOf({ code, message }: CommanderError, command: Command): ParserFault {
  const [first = "", second = ""] = [...message.matchAll(/'([^']*)'/g)].map(([, word = ""]) => word);
  switch (code) {
    case "commander.unknownOption":
      return { path: first, message: `is not a flag of ${named(command)}`, ...likeFlag(first, command) };
    case "commander.unknownCommand":
      return {
        path: `\`${first}\``,
        message: `is not a command of ${named(command)}`,
        ...likeCommand(first, command),
      };
    case "commander.optionMissingArgument":
      return { path: flagIn(first), message: "needs a value" };
    case "commander.conflictingOption":
      return { path: flagIn(first), message: `cannot be used together with ${flagIn(second)}` };
    case "commander.excessArguments":
      return tooMany(command);
    default:
      return { path: named(command), message: `cannot be read: ${message.replace(/^error: |\.$/g, "")}` };
  }
}

const named = (command: Command): string => `\`${`innkeep ${wordsOf(command)}`.trim()}\``;

/** Returns the long name of a flag, from the notation of the parser, such as `-f, --field <name=text>`. */
const flagIn = (words: string): string => /--[\w-]+/.exec(words)?.[0] ?? words;

function likeFlag(given: string, command: Command): Pick<ParserFault, "meant" | "next"> {
  const all = [command, ...ancestorsOf(command)].flatMap(({ options }) => options);
  const names = all.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const meant = closest(given.replace(/=.*/s, ""), [...names, "--help", "--version"]);
  return meant === undefined
    ? { next: `\`${`innkeep ${wordsOf(command)}`.trim()} --help\` lists them.` }
    : { meant };
}

function likeCommand(given: string, command: Command): Pick<ParserFault, "meant" | "next"> {
  const instead = goneCommands[given];
  if (command.name() === "admin" && instead !== undefined) return { next: instead };
  const isFlag = !command.parent && ["version", "help"].includes(given.toLowerCase());
  const meant = isFlag
    ? `--${given.toLowerCase()}`
    : closest(
        given,
        command.commands.map((one) => one.name()),
      );
  return meant === undefined
    ? { next: `\`${`innkeep help ${wordsOf(command)}`.trim()}\` lists them.` }
    : { meant };
}

function ancestorsOf({ parent }: Command): readonly Command[] {
  return parent ? [parent, ...ancestorsOf(parent)] : [];
}

function tooMany(command: Command): ParserFault {
  const { args, registeredArguments } = command;
  const takes = registeredArguments.map((one) => `<${one.name()}>`).join(" ") || "no argument";
  const more = args.slice(registeredArguments.length).join(" ");
  const [method = "", path = ""] = args;
  const isCall = command.name() === "api" && /^[A-Z]+$/.test(method);
  return {
    path: named(command),
    message: `takes ${takes}, and \`${more}\` is too much`,
    next: isCall ? `The method is a flag: \`innkeep api ${path} --method ${method}\`.` : undefined,
  };
}

/** Returns the error that names all missing flags of a command. */
export const missingFlags = (flags: readonly string[]): CliError =>
  usageError(
    `The command needs ${flags.length === 1 ? "one flag" : `${flags.length} flags`} more:`,
    undefined,
    {
      issues: flags.map((path) => ({ path, message: "is missing" })),
    },
  );

/**
 * Replaces the parser's error about one missing flag with an error about all missing flags. Returns other errors
 * unchanged.
 */
export function nameAllMissingFlags(error: unknown, program: Command, argv: readonly string[]): unknown {
  if (!(error instanceof CommanderError) || error.code !== "commander.missingMandatoryOptionValue")
    return error;
  const missing = missingMandatory(calledBy(argv, program));
  return missing.length === 0 ? error : missingFlags(missing);
}

/** Returns the required flags that are missing in a command line. */
const missingMandatory = (command: Command): readonly string[] =>
  command.options
    .filter((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)
    .map(({ long, flags }) => long ?? flags);

const missingArguments = ({ registeredArguments, args }: Command): readonly string[] =>
  registeredArguments
    .slice(args.length)
    .filter(({ required }) => required)
    .map((argument) => `<${argument.name()}>`);

/** Replaces names of request fields with flags or arguments. A field without a flag keeps its name. */
function withFlagNames(failure: Failure, command: Command): Failure {
  const { issues = [], code } = failure;
  if (issues.length === 0) return failure;
  const own = issues.map((issue) => ({ ...issue, path: wordFor(issue, command) }));
  if (code !== "bad_request") return { ...failure, issues: own };
  const count = own.length === 1 ? "One value is wrong" : `${own.length} values are wrong`;
  return { ...failure, message: `${count}:`, issues: own };
}

function wordFor({ path }: Issue, command: Command): string {
  const [field = ""] = path.split(".");
  const names = [field, field.replace(/s$/, ""), field.replace(/Id$/, "")];
  const option = command.options.find((one) => names.includes(one.attributeName()));
  if (option?.long) return option.long;
  const [argument, ...others] = command.registeredArguments;
  const isOnly = argument !== undefined && others.length === 0;
  return isOnly && (field === argument.name() || /^id$|Id$/.test(field)) ? `<${argument.name()}>` : path;
}

/** Returns the command that a command line calls. */
export const calledBy = (argv: readonly string[], program: Command): Command =>
  argv.reduce(
    (at, word) => at.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? at,
    program,
  );

/** The hint for commands of earlier versions that made continuous copies of the database. */
export const copiesByLitestream =
  'Litestream makes continuous copies of SQLite now, and `litestream restore` restores them: see "Continuous copies" in docs/operating.md.';

/** The commands of earlier versions that this version does not have, and a hint for each. */
const goneCommands: Readonly<Record<string, string>> = { instants: copiesByLitestream };
