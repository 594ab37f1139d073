import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Era, OnPage } from "../../../mcp/support/clients.ts";
import { openHttpSession } from "../../../mcp/support/http-session.ts";
import { openMcpSession } from "../../../mcp/support/mcp-session.ts";
import { readToolResult } from "../../../mcp/support/tool-result.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../../support/worlds/app-with-owner-and-agent.ts";

type Transport = "standard input" | "HTTP";

/** The older era cannot ask a client over HTTP without an MCP session. */
const ways: readonly (readonly [Era, Transport])[] = [
  ["2025-11-25", "standard input"],
  ["2026-07-28", "standard input"],
  ["2026-07-28", "HTTP"],
];

describe("the offer of an MCP client to open a page", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const start = async ([era, transport]: readonly [Era, Transport], onPage?: OnPage) => {
    const token = cast.agent.authorization.slice("Bearer ".length);
    const { baseUrl } = service;
    const page = onPage ? { onPage } : {};
    const client =
      transport === "HTTP"
        ? await openHttpSession(era, { baseUrl, token, ...page })
        : (await openMcpSession(era, { baseUrl, agentToken: token, ...page })).client;
    const feedback = await submitFeedback(service, cast);
    const run_id = await propose(service, cast, feedback);
    const waitFor = async (seconds: number) =>
      readToolResult(await client.callTool("get_decision", { run_id, wait_seconds: seconds })).structured;
    return { feedback, run_id, waitFor };
  };

  it.each(ways)(
    "shows the person the page of the decision during the wait, in %s over %s",
    async (...way) => {
      const onPage = vi.fn<OnPage>(() => "accept");
      const { feedback, run_id, waitFor } = await start(way, onPage);
      const waiting = waitFor(50);
      await eventually(() => expect(onPage).toHaveBeenCalledOnce());
      const { consoleUrl } = service.deps.settings;
      expect(onPage.mock.lastCall?.at(0)).toMatchObject({
        url: `${consoleUrl}/feedback/${cast.appId}/${feedback}#proposal`,
        message: expect.stringContaining("Open the console page"),
      });
      await decide(service, cast, run_id, { decision: "approve" });
      expect(await waiting).toMatchObject({ status: "approved", may_proceed: true });
    },
  );

  it.each(ways)(
    "is made once for each proposal, and its answer decides nothing, in %s over %s",
    async (...way) => {
      const onPage = vi.fn<OnPage>(() => "decline");
      const { waitFor } = await start(way, onPage);
      expect(await waitFor(1)).toMatchObject({ status: "awaiting_approval", may_proceed: false });
      expect(await waitFor(1)).toMatchObject({ status: "awaiting_approval", may_proceed: false });
      expect(onPage).toHaveBeenCalledOnce();
    },
  );

  it.each(ways)("is not made for a decided proposal or without a wait, in %s over %s", async (...way) => {
    const onPage = vi.fn<OnPage>(() => "accept");
    const { run_id, waitFor } = await start(way, onPage);
    expect(await waitFor(0)).toMatchObject({ status: "awaiting_approval" });
    await decide(service, cast, run_id, { decision: "reject" });
    expect(await waitFor(50)).toMatchObject({ status: "rejected" });
    expect(onPage).not.toHaveBeenCalled();
  });

  it.each(ways)(
    "is not made if the client cannot open pages, and the answer has the link, in %s over %s",
    async (...way) => {
      const { feedback, waitFor } = await start(way);
      const { consoleUrl } = service.deps.settings;
      expect(await waitFor(1)).toMatchObject({
        status: "awaiting_approval",
        console_url: `${consoleUrl}/feedback/${cast.appId}/${feedback}`,
      });
    },
  );

  it("does not end the wait if it fails", async () => {
    const failing: OnPage = () => {
      throw new Error("no browser");
    };
    const { run_id, waitFor } = await start(["2025-11-25", "standard input"], failing);
    const waiting = waitFor(50);
    await decide(service, cast, run_id, { decision: "approve" });
    expect(await waiting).toMatchObject({ status: "approved" });
  });
});
