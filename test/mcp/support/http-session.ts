import { StreamableHTTPClientTransport as NewerHttp } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as OlderHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";
import { connectNewer, connectOlder, type Era, type OnPage, type TestClient } from "./clients.ts";

/** A real client of the given era, connected to the tools of a server over HTTP. */
export async function openHttpSession(
  era: Era,
  { baseUrl, token, onPage }: { readonly baseUrl: string; readonly token: string; readonly onPage?: OnPage },
): Promise<TestClient> {
  const url = new URL(`${baseUrl}/mcp`);
  const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const client =
    era === "2025-11-25"
      ? await connectOlder(new OlderHttp(url, options), onPage)
      : await connectNewer(new NewerHttp(url, options), onPage);
  await client.listTools();
  onTestFinished(() => client.close());
  return client;
}
