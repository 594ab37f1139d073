import { readFile } from "node:fs/promises";
import type { Client } from "../src/client/call.ts";
import type { McpOptions } from "./options.ts";
import { Refusal } from "./refusal.ts";

export type AgentClient = Pick<Client, "agent">;

/** The way to the API. Nothing is read or loaded before the first call. */
export interface Connection {
  /** Rejects as the client does, or with a Refusal where there is no token. */
  call<T>(use: (client: AgentClient) => Promise<T>): Promise<T>;
  /** The token, once it is known: no text that we send may hold it. */
  secrets(): readonly string[];
}

const upstreamTimeoutMs = 15_000;

export function createConnection(options: McpOptions): Connection {
  let secrets = [options.agentToken ?? ""].filter((secret) => secret !== "");
  let client: Promise<AgentClient> | undefined;

  const connect = async (): Promise<AgentClient> => {
    const token = await tokenOf(options);
    if (token === undefined && options.connect) return options.connect();
    if (token === undefined) throw new Refusal(noToken);
    secrets = [token];
    return clientWith(token, options);
  };

  return {
    secrets: () => secrets,
    async call(use) {
      client ??= connect();
      try {
        return await use(await client);
      } catch (error) {
        // The token may be another one the next time.
        if (isAboutToken(error)) client = undefined;
        throw error;
      }
    },
  };
}

const noToken =
  "There is no agent token. Create one in the console settings, set INNKEEP_AGENT_TOKEN or INNKEEP_AGENT_TOKEN_FILE in the configuration of this MCP server, and restart it.";

async function tokenOf({ agentToken, tokenFile, storedToken }: McpOptions): Promise<string | undefined> {
  const given = agentToken?.trim();
  if (given) return given;
  if (!tokenFile) return (await storedToken?.()) || undefined;
  const kept = await readFile(tokenFile, "utf8").catch(() => "");
  if (kept.trim() !== "") return kept.trim();
  throw new Refusal(
    "The file that INNKEEP_AGENT_TOKEN_FILE names is missing, empty or not readable. Put an agent token from the console settings into it, then call again.",
  );
}

async function clientWith(agentToken: string, { baseUrl, proxy, version }: McpOptions): Promise<AgentClient> {
  const { createClient } = await import("../src/client/client.ts");
  return createClient({
    baseUrl,
    proxy,
    credentials: { agentToken },
    headers: { "user-agent": `innkeep/${version}` },
    attempts: 1,
    timeoutMs: upstreamTimeoutMs,
  });
}

function isAboutToken(error: unknown): boolean {
  if (error instanceof Refusal) return true;
  if (!(error instanceof Error)) return false;
  return error.name === "MissingCredentialError" || ("status" in error && error.status === 401);
}
