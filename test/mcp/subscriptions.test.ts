import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";
import { eras } from "./support/clients.ts";
import { startFakeApi } from "./support/fake-api.ts";
import { manualClock } from "./support/manual-clock.ts";
import { openMcpSession } from "./support/mcp-session.ts";
import { readToolResult } from "./support/tool-result.ts";

const uriOf = (runId: string) => `innkeep://runs/${runId}`;
const queue = "innkeep://queue";

describe.each(eras)("resources that a client follows over standard input, %s,", (era) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const follow = async (uris: readonly string[]) => {
    const agentToken = cast.agent.authorization.slice("Bearer ".length);
    const { client } = await openMcpSession(era, { baseUrl: service.baseUrl, agentToken });
    const heard: string[] = [];
    return { ...(await client.follow(uris, (uri) => heard.push(uri))), client, heard };
  };
  const proposed = async () => propose(service, cast, await submitFeedback(service, cast));

  it("are announced after each change: a proposal, and the list of work", async () => {
    const [run, other] = [await proposed(), await proposed()];
    const { heard } = await follow([uriOf(run), queue]);
    await decide(service, cast, run, { decision: "approve" });
    await eventually(() => expect(heard.toSorted()).toEqual([queue, uriOf(run)]));
    await decide(service, cast, other, { decision: "approve" });
    await eventually(() => expect(heard.toSorted()).toEqual([queue, queue, uriOf(run)]));
  });

  it("are no longer announced after the client ended this", async () => {
    const { heard, end } = await follow([queue]);
    const witness = await follow([queue]);
    await end();
    await submitFeedback(service, cast);
    await eventually(() => expect(witness.heard).toEqual([queue]));
    expect(heard).toEqual([]);
  });

  it("can be a proposal that does not exist, which is never announced", async () => {
    const run = await proposed();
    const { heard } = await follow([uriOf("b5d1c0de-0000-4000-8000-000000000001"), uriOf(run)]);
    await decide(service, cast, run, { decision: "reject" });
    await eventually(() => expect(heard).toEqual([uriOf(run)]));
  });

  it("are also announced with a server that lists no changes", async () => {
    const { api, clock, client, heard } = await startFake();
    const run = await proposedAt(api, client);
    await client.follow([uriOf(run)], (uri) => heard.push(uri));
    await clock.advance(30);
    expect(heard).toEqual([]);
    api.decide(run, "approved");
    await eventually(async () => {
      await clock.advance(30);
      expect(heard).toEqual([uriOf(run)]);
    });
  });

  it("are announced after a failure, because the client may have missed a change", async () => {
    const { api, clock, client, heard } = await startFake();
    const run = await proposedAt(api, client);
    await client.follow([uriOf(run)], (uri) => heard.push(uri));
    api.fail({ status: 401 });
    await eventually(async () => {
      await clock.advance(60);
      expect(heard).toEqual([uriOf(run)]);
    });
  });

  async function startFake() {
    const api = await startFakeApi();
    const clock = manualClock();
    const { client } = await openMcpSession(era, { baseUrl: api.baseUrl, clock: clock.clock });
    const heard: string[] = [];
    return { api, clock, client, heard };
  }
});

type Fake = Awaited<ReturnType<typeof startFakeApi>>;
type Client = Awaited<ReturnType<typeof openMcpSession>>["client"];

async function proposedAt(api: Fake, client: Client): Promise<string> {
  const texts = { summary: "The kettle is null.", plan: "Check the kettle." };
  const answer = await client.callTool("propose_plan", { feedback: api.addThread(), ...texts });
  return String(readToolResult(answer).structured.run_id);
}

it("a client of the older era gets an error for a resource that it cannot follow", async () => {
  const { client } = await openMcpSession("2025-11-25", { baseUrl: "http://127.0.0.1:9" });
  const refused = client.follow(["innkeep://proposals"], () => undefined);
  await expect(refused).rejects.toThrow("Only innkeep://queue and innkeep://runs/{run_id} can be followed.");
});

it("a client of the newer era follows all other resources that it requested", async () => {
  const { client } = await openMcpSession("2026-07-28", { baseUrl: "http://127.0.0.1:9" });
  const { uris } = await client.follow(["innkeep://proposals", queue], () => undefined);
  expect(uris).toEqual([queue]);
});
