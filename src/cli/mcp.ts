import { type Command, InvalidArgumentError, Option } from "commander";
import { type Exit, usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, ownCredential, type Setup, wholeNumber } from "./core/command.ts";
import { proxyOf, traceOf } from "./core/connection.ts";
import type { Context, Invocation } from "./core/context.ts";
import { printOne } from "./core/output.ts";
import { isOfOtherServer } from "./core/settings.ts";
import { wordsToStart } from "./update.ts";

interface McpFlags {
  readonly readOnly?: boolean;
  readonly work?: boolean;
  readonly maxWait?: number;
  readonly check?: boolean;
  readonly setup?: ClientName | true;
}

export function addMcp(mcp: Command, setup: Setup): void {
  mcp
    .addOption(new Option("--read-only", "offer no tool that writes").conflicts("work"))
    .option(
      "--work",
      "offer start_work and report_outcome, for a token with the scope runs:work; the same as INNKEEP_MCP_WORK=true",
    )
    .option(
      "--max-wait <seconds>",
      "the maximum time that one call waits for a decision, from 1 to 240 seconds; default: 50",
      longestWait,
    )
    .option(
      "--check",
      "check the server and the token, and print what the agent may do, without starting the MCP server",
    )
    .addOption(
      new Option(
        "--setup [client]",
        "print how to add the MCP server to each client, or to the given client, without starting it",
      )
        .choices(clientNames)
        .conflicts("check"),
    );
  addExamples(
    mcp,
    "innkeep mcp",
    "innkeep mcp --read-only --agent-token-file token.txt",
    "innkeep mcp --check",
    "innkeep mcp --setup",
    "innkeep mcp --setup cursor",
  );
  commandAction<McpFlags>(mcp, setup, async (invocation, given) => {
    if (given.setup !== undefined) {
      await showSetup(invocation, given.setup === true ? undefined : given.setup, wordsOf(given));
      return "ok";
    }
    const flags = { ...given, work: asksForWork(given, invocation.context.env) };
    if (flags.check) return (await import("./doctor/mcp.ts")).checkAgentServer(invocation, flags);
    return serveAgents(invocation, flags);
  });
}

/** Returns the words that these flags add to the command of the MCP server. */
const wordsOf = ({ readOnly, work }: McpFlags): string[] => [
  ...(readOnly ? ["--read-only"] : []),
  ...(work ? ["--work"] : []),
];

/**
 * Whether to offer tools for work on approved plans. Clients that cannot set flags set the variable
 * `INNKEEP_MCP_WORK`.
 */
function asksForWork({ readOnly, work }: McpFlags, { INNKEEP_MCP_WORK = "" }: Context["env"]): boolean {
  if (work || readOnly) return work ?? false;
  if (["true", "1"].includes(INNKEEP_MCP_WORK)) return true;
  if (["", "false", "0"].includes(INNKEEP_MCP_WORK)) return false;
  throw usageError("INNKEEP_MCP_WORK must be true or false.");
}

function longestWait(given: string): number {
  const seconds = wholeNumber(given);
  if (seconds >= 1 && seconds <= 240) return seconds;
  throw new InvalidArgumentError("It must be 1 to 240 seconds.");
}

async function serveAgents(invocation: Invocation, { readOnly, work, maxWait }: McpFlags): Promise<Exit> {
  const { context, flags, stateFolder } = invocation;
  const baseUrl = invocation.baseUrl();
  // `INNKEEP_AGENT_TOKEN` may be for another server. A stranger may have written a project file that names the
  // server.
  const server = invocation.server();
  const isDoubtful = server.isProject || isOfOtherServer(context, server, "INNKEEP_AGENT_TOKEN");
  const code = await context.programs.mcp({
    baseUrl,
    consoleUrl: context.env.INNKEEP_CONSOLE_URL || undefined,
    agentToken: isDoubtful ? undefined : context.env.INNKEEP_AGENT_TOKEN || undefined,
    tokenFile: isDoubtful ? undefined : flags.agentTokenFile,
    // The token is read again for each call, because the person may have replaced it.
    storedToken: async () => (await ownCredential(invocation, "agentToken"))?.secret,
    proxy: proxyOf(context),
    onExchange: traceOf(invocation),
    maxWaitSeconds: maxWait,
    readOnly,
    work,
    stateDirectory: stateFolder,
  });
  return code === 0 ? "ok" : "unexpected";
}

/** Prints how to add the MCP server to each client. For one client, prints only the text to use. */
async function showSetup(
  invocation: Invocation,
  client: ClientName | undefined,
  more: readonly string[],
): Promise<void> {
  const words = await invocation.context.wordsToStart();
  const setups = clientSetups(invocation.baseUrl(), more, words).filter(
    (setup) => client === undefined || setup.client === client,
  );
  printOne(invocation, { setups }, () =>
    client === undefined
      ? setups.map(({ name, way, text }) => `${name} (${actionWords[way]})\n  ${text}`).join("\n\n")
      : setups.map(({ text }) => text).join("\n"),
  );
}

const actionWords = { command: "run", link: "open", settings: "settings" } as const;

/** How a client starts a program. */
interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the command that starts the MCP server. It contains no agent token, because the server reads the stored
 * token. (rule L71)
 */
export const stdioServer = (words: readonly string[] = wordsToStart()): ProgramStart => {
  const [command = "", ...args] = words;
  return { command, args: [...args, "mcp"] };
};

/** How to add the MCP server to one client. The text contains no secret. (rule L71) */
interface ClientSetup {
  /** The value of `--setup`. */
  readonly client: ClientName;
  /** The name of the client that people see. */
  readonly name: string;
  /** What a person does with the text: run it, open it, or add it to the client's settings. */
  readonly way: "command" | "link" | "settings";
  readonly text: string;
}

export const clientNames = [
  "claude-code",
  "codex",
  "gemini",
  "opencode",
  "vscode",
  "cursor",
  "claude-desktop",
  "http",
] as const;

type ClientName = (typeof clientNames)[number];

/**
 * Returns a setup for each of `clientNames`, in that order. `words` start this program. `more` are further
 * arguments.
 */
export function clientSetups(
  baseUrl: string,
  more: readonly string[] = [],
  words: readonly string[] = wordsToStart(),
): readonly ClientSetup[] {
  const start = stdioServer(words);
  const args = [...start.args, ...more];
  const env = { INNKEEP_BASE_URL: baseUrl };
  const variable = shellWord(`INNKEEP_BASE_URL=${baseUrl}`);
  const server = [start.command, ...args].map(shellWord).join(" ");
  const entry = { ...start, args, env };
  const named = { name: "innkeep", ...entry };
  const command = { way: "command" } as const;
  const link = { way: "link" } as const;
  return [
    {
      ...{ client: "claude-code", name: "Claude Code", ...command },
      text: `claude mcp add --env ${variable} --transport stdio innkeep -- ${server}`,
    },
    {
      ...{ client: "codex", name: "Codex", ...command },
      text: `codex mcp add innkeep --env ${variable} -- ${server}`,
    },
    {
      ...{ client: "gemini", name: "Gemini CLI", ...command },
      text: `gemini mcp add --scope user --env ${variable} innkeep ${shellWord(start.command)} -- ${args.map(shellWord).join(" ")}`,
    },
    {
      ...{ client: "opencode", name: "opencode", ...command },
      text: `opencode mcp add innkeep --env ${variable} -- ${server}`,
    },
    {
      ...{ client: "vscode", name: "VS Code", ...command },
      text: `code --add-mcp ${shellWord(JSON.stringify(named))}`,
    },
    {
      ...{ client: "vscode", name: "VS Code", ...link },
      text: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(named))}`,
    },
    {
      ...{ client: "cursor", name: "Cursor", ...link },
      text: `cursor://anysphere.cursor-deeplink/mcp/install?name=innkeep&config=${inLink(entry)}`,
    },
    {
      ...{ client: "claude-desktop", name: "Claude Desktop", way: "settings" },
      text: JSON.stringify({ mcpServers: { innkeep: entry } }),
    },
    { ...{ client: "http", name: "Clients that use HTTP", ...link }, text: `${baseUrl}/mcp` },
  ];
}

const inLink = (entry: object): string =>
  encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString("base64"));

/** Returns a word in a form that a shell reads unchanged. */
const shellWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
