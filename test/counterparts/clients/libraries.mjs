import {
  Client as NewerClient,
  StreamableHTTPClientTransport as NewerHttp,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as NewerStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OlderHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { innkeep } from "../demo-server.mjs";

const libraries = {
  "version 1 of the library": { Client: OlderClient, Stdio: OlderStdio, Http: OlderHttp },
  "version 2 of the library": { Client: NewerClient, Stdio: NewerStdio, Http: NewerHttp },
};

/** Connects the clients of both versions of the protocol's library over both transports. */
export async function checkLibraries({ baseUrl, demo: { agentToken } }, report) {
  const env = { PATH: process.env.PATH, INNKEEP_BASE_URL: baseUrl, INNKEEP_AGENT_TOKEN: agentToken };
  const requestInit = { headers: { authorization: `Bearer ${agentToken}` } };
  for (const [name, { Client, Stdio, Http }] of Object.entries(libraries)) {
    const stdio = new Stdio({ command: process.execPath, args: [innkeep, "mcp"], env });
    report(`${name}, over standard input`, await faultsOf(Client, stdio));
    const http = new Http(new URL(`${baseUrl}/mcp`), { requestInit });
    report(`${name}, over HTTP`, await faultsOf(Client, http));
  }
}

async function faultsOf(Client, transport) {
  const client = new Client({ name: "innkeep-clients", version: "1" });
  try {
    await client.connect(transport);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    return names.includes("propose_plan") ? [] : [`tools: ${names.join(" ")}`];
  } catch (error) {
    return [`${error}`];
  } finally {
    await client.close();
  }
}
