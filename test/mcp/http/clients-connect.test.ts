import { StreamableHTTPClientTransport as NewerHttp } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as OlderHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { broughtBack } from "../../support/sign-in/oauth.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { authorizedProgram } from "../support/authorized-program.ts";
import { connectNewer, connectOlder, type Era, eras } from "../support/clients.ts";
import { readToolResult } from "../support/tool-result.ts";

describe.each(eras)("a client of %s that has only the address", (era) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  it("finds the authorization server, gets the consent of a person, and calls a tool", async () => {
    const program = authorizedProgram("http://localhost:33418/callback");
    const url = new URL(`${service.baseUrl}/mcp`);
    await expect(connect(era, url, program)).rejects.toThrow(/unauthorized/i);
    const opened = program.opened();
    expect(opened?.searchParams.get("resource")).toBe(`${service.baseUrl}/mcp`);
    const visitor = createBrowserWithoutScripts(service, cast.person);
    const page = await visitor.open(`${opened?.pathname}${opened?.search}`);
    const back = broughtBack(await visitor.send(page, "/oauth/authorize", { decision: "allow" }));
    await finish(era, { url, program }, back);
    const client = await connect(era, url, program);
    const feedback = await submitFeedback(service, cast);
    const read = readToolResult(await client.callTool("read_feedback", { feedback }));
    expect(read.structured).toMatchObject({ feedback_id: feedback });
    await client.close();
  });
});

type Program = ReturnType<typeof authorizedProgram>;

const connect = (era: Era, url: URL, authProvider: Program) =>
  era === "2025-11-25"
    ? connectOlder(new OlderHttp(url, { authProvider }))
    : connectNewer(new NewerHttp(url, { authProvider }));

const finish = (
  era: Era,
  { url, program: authProvider }: { readonly url: URL; readonly program: Program },
  back: URLSearchParams,
): Promise<void> =>
  era === "2025-11-25"
    ? new OlderHttp(url, { authProvider }).finishAuth(back.get("code") ?? "")
    : new NewerHttp(url, { authProvider }).finishAuth(back);
