import { type Command, InvalidArgumentError, Option } from "commander";
import { type ClientName, clientNames } from "./client-setups.ts";
import { usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { proxyOf, traceOf } from "./core/connection.ts";
import type { Context, Invocation } from "./core/context.ts";
import { isOfOtherServer } from "./core/credentials.ts";
import type { Exit } from "./core/exit-codes.ts";
import { wholeNumber } from "./core/flags.ts";
import { ownCredential } from "./core/own-credential.ts";

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
      "offer start_work and report_outcome, for a token with the scope runs:work; as INNKEEP_MCP_WORK=true",
    )
    .option(
      "--max-wait <seconds>",
      "the longest that one call waits for a decision: 1 to 240; 50 unless given",
      longestWait,
    )
    .option("--check", "start nothing: say whether server and token work, and what the agent may do")
    .addOption(
      new Option("--setup [client]", "start nothing: print how to add it to each client, or to one")
        .choices(clientNames)
        .conflicts("check"),
    );
  commandAction<McpFlags>(mcp, setup, async (invocation, given) => {
    if (given.setup !== undefined) {
      const { showSetup } = await import("./show-setup.ts");
      await showSetup(invocation, given.setup === true ? undefined : given.setup, wordsOf(given));
      return "ok";
    }
    const flags = { ...given, work: asksForWork(given, invocation.context.env) };
    if (flags.check) return (await import("./doctor/mcp.ts")).checkAgentServer(invocation, flags);
    return serveAgents(invocation, flags);
  });
}

/** The words with which a client starts the server with these flags. */
const wordsOf = ({ readOnly, work }: McpFlags): string[] => [
  ...(readOnly ? ["--read-only"] : []),
  ...(work ? ["--work"] : []),
];

/** Clients that ask a person for settings can set variables only. Flags come before them. */
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
  // The server of a file of this project may be a stranger's, and that of a profile is not the environment's: what was
  // given for any server is checked at its first use.
  const server = invocation.server();
  const isDoubtful = server.isProject || isOfOtherServer(context, server, "INNKEEP_AGENT_TOKEN");
  const code = await context.programs.mcp({
    baseUrl,
    consoleUrl: context.env.INNKEEP_CONSOLE_URL || undefined,
    agentToken: isDoubtful ? undefined : context.env.INNKEEP_AGENT_TOKEN || undefined,
    tokenFile: isDoubtful ? undefined : flags.agentTokenFile,
    // Read each time, because the token may have been replaced.
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
