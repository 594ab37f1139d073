import { type Command, InvalidArgumentError } from "commander";
import { proxyOf, traceOf } from "../core/connection/connect.ts";
import { findCredential } from "../core/credentials/find-credential.ts";
import type { Exit } from "../core/failures/exit-codes.ts";
import { wholeNumber } from "../core/input/flags.ts";
import { commandAction, type Setup } from "../core/program/command-action.ts";
import type { Invocation } from "../core/program/context.ts";

interface McpFlags {
  readonly readOnly?: boolean;
  readonly maxWait?: number;
}

export function addMcp(mcp: Command, setup: Setup): void {
  mcp
    .option("--read-only", "offer no tool that writes")
    .option(
      "--max-wait <seconds>",
      "the longest that one call waits for a decision: 1 to 240; 50 unless given",
      longestWait,
    );
  commandAction<McpFlags>(mcp, setup, serveAgents);
}

function longestWait(given: string): number {
  const seconds = wholeNumber(given);
  if (seconds >= 1 && seconds <= 240) return seconds;
  throw new InvalidArgumentError("It must be 1 to 240 seconds.");
}

async function serveAgents(invocation: Invocation, { readOnly, maxWait }: McpFlags): Promise<Exit> {
  const { context, flags, stateFolder } = invocation;
  const baseUrl = invocation.baseUrl();
  const { origin } = new URL(baseUrl);
  const code = await context.programs.mcp({
    baseUrl,
    consoleUrl: context.env.INNKEEP_CONSOLE_URL || undefined,
    agentToken: context.env.INNKEEP_AGENT_TOKEN || undefined,
    tokenFile: flags.agentTokenFile,
    // Read each time, because the token may have been replaced.
    storedToken: async () => (await findCredential(context, flags, { origin, kind: "agentToken" }))?.secret,
    proxy: proxyOf(context),
    onExchange: traceOf(invocation),
    maxWaitSeconds: maxWait,
    readOnly,
    stateDirectory: stateFolder,
  });
  return code === 0 ? "ok" : "unexpected";
}
