import { wordsToStart } from "./core/published.ts";

/** How a client starts a program. */
interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
}

/** How clients start the MCP server. The agent token is no part of it: the server finds it where `innkeep auth` put it. */
export const stdioServer = (words: readonly string[] = wordsToStart()): ProgramStart => {
  const [command = "", ...args] = words;
  return { command, args: [...args, "mcp"] };
};

/** How to add the MCP server to one client. It holds no secret. */
export interface ClientSetup {
  /** As `--setup` takes it. */
  readonly client: ClientName;
  /** As people call it. */
  readonly name: string;
  /** What to do with the text: run it, open it, or put it into the client's settings. */
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
export type ClientName = (typeof clientNames)[number];

/**
 * How to add the MCP server for this Innkeep server to each common client, in the order of `clientNames`. `more` are
 * further words of its command, `words` start the command line on the machine of the client. Over HTTP the scopes of the
 * token decide instead.
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
    { ...{ client: "http", name: "Clients that speak HTTP", ...link }, text: `${baseUrl}/mcp` },
  ];
}

const inLink = (entry: object): string =>
  encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString("base64"));

/** A word that a shell reads as it is. */
const shellWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
