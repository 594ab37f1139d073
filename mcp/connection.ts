import { readFile } from "node:fs/promises";
import type { Client } from "../src/client/call.ts";
import type { Run } from "../src/contract/runs.ts";
import type { McpOptions } from "./options.ts";
import { Refusal } from "./refusals.ts";

/** Reads a proposal. */
export const readRun = (
  connection: Connection,
  runId: string,
  {
    holdSeconds,
    signal,
  }: {
    /** How long the server waits for a decision before it answers. */
    readonly holdSeconds: number;
    readonly signal: AbortSignal;
  },
): Promise<Run> =>
  connection.call((client) =>
    client.agent.readRun({
      params: { runId },
      query: holdSeconds > 0 ? { wait: String(holdSeconds) } : {},
      signal,
    }),
  );

type AgentClient = Pick<Client, "agent">;

/** Calls the API. The first call reads the token and loads the client of the API. */
export interface Connection {
  /** Rejects with the errors of the client, or with a Refusal if there is no token. */
  call<T>(use: (client: AgentClient) => Promise<T>): Promise<T>;
  /** Returns the secrets that no sent text may contain: the agent token. Rejects with a Refusal if there is none. */
  secrets(): Promise<readonly string[]>;
}

const upstreamTimeoutMs = 15_000;

export function createConnection(options: McpOptions): Connection {
  let secrets: readonly string[] = [];
  let client: Promise<AgentClient> | undefined;

  const connect = async (): Promise<AgentClient> => {
    const token = await tokenOf(options);
    if (token === undefined) throw new Refusal(noToken);
    secrets = [token];
    return clientWith(token, options);
  };

  /** If the server refuses the token, the next call reads the token again, because the user may have replaced it. */
  const connected = async <T>(use: (client: AgentClient) => Promise<T>): Promise<T> => {
    client ??= connect();
    try {
      return await use(await client);
    } catch (error) {
      if (isAboutToken(error)) client = undefined;
      throw error;
    }
  };

  return { call: connected, secrets: () => connected(async () => secrets) };
}

const noToken =
  "There is no agent token. Create one in the console settings, set INNKEEP_AGENT_TOKEN in the configuration of this MCP server (or store it with `innkeep auth set agent-token`), and call again or restart the server.";

async function tokenOf({ agentToken, tokenFile, storedToken }: McpOptions): Promise<string | undefined> {
  if (tokenFile) return tokenIn(tokenFile);
  return agentToken?.trim() || (await storedToken?.())?.trim() || undefined;
}

async function tokenIn(file: string): Promise<string> {
  const token = (await readFile(file, "utf8").catch(() => "")).trim();
  if (token !== "") return token;
  throw new Refusal(
    "The file of the agent token is missing, empty or not readable. Put an agent token from the console settings into it, then call again.",
  );
}

async function clientWith(
  agentToken: string,
  { baseUrl, proxy, version, onExchange }: McpOptions,
): Promise<AgentClient> {
  const { createClient } = await import("../src/client/send.ts");
  return createClient({
    baseUrl,
    proxy,
    onExchange,
    credentials: { agentToken },
    headers: { "user-agent": `innkeep/${version}` },
    attempts: 1,
    timeoutMs: upstreamTimeoutMs,
  });
}

function isAboutToken(error: unknown): boolean {
  if (error instanceof Refusal) return true;
  if (!(error instanceof Error)) return false;
  return (
    error.name === "MissingCredentialError" ||
    error.name === "KeychainError" ||
    ("status" in error && error.status === 401)
  );
}
