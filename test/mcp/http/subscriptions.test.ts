import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { connect } from "../../support/sign-in/oauth.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  snoozeForHour,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { newerMessage } from "../support/http-messages.ts";
import { openHttpSession } from "../support/http-session.ts";

const tokenOf = ({ agent }: Pick<AppWithAgent, "agent">) => agent.authorization.slice("Bearer ".length);
const uriOf = (runId: string) => `innkeep://runs/${runId}`;

/** A client that follows resources over HTTP and records the messages. */
async function follow(baseUrl: string, token: string, uris: readonly string[]) {
  const client = await openHttpSession("2026-07-28", { baseUrl, token });
  const heard: string[] = [];
  const followed = await client.follow(uris, (uri) => heard.push(uri));
  return { ...followed, heard };
}

describe.each(databases)("a stream of changes over MCP and HTTP on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const proposed = async (of = cast) => propose(service, of, await submitFeedback(service, of));
  const act = (path: string, body: object) =>
    service.request("POST", `/api/v1${path}`, { headers: cast.person, body });

  it("sends the decision on a proposal, and the steps after it", async () => {
    const [run, other] = [await proposed(), await proposed()];
    const { heard, uris } = await follow(service.baseUrl, tokenOf(cast), [uriOf(run)]);
    expect(uris).toEqual([uriOf(run)]);
    await decide(service, cast, other, { decision: "approve" });
    expect(heard).toEqual([]);
    await decide(service, cast, run, { decision: "approve" });
    await eventually(() => expect(heard).toEqual([uriOf(run)]));
    await act(`/console/runs/${run}/recall`, { note: "Not today." });
    await eventually(() => expect(heard).toEqual([uriOf(run), uriOf(run)]));
  });

  it("says that the snooze of a thread is over, although nobody asks the server", async () => {
    const threadId = await submitFeedback(service, cast);
    await snoozeForHour(service, cast, threadId);
    const { heard } = await follow(service.baseUrl, tokenOf(cast), ["innkeep://queue"]);
    service.clock.advance(3_600_000);
    await eventually(() => expect(heard).toEqual(["innkeep://queue"]));
  });

  it("says that other work may exist, only for the agent's own apps", async () => {
    const stranger = await makeAppWithAgent(service);
    const { heard } = await follow(service.baseUrl, tokenOf(cast), ["innkeep://queue"]);
    const theirs = await follow(service.baseUrl, tokenOf(stranger), ["innkeep://queue"]);
    await submitFeedback(service, cast);
    await eventually(() => expect(heard).toEqual(["innkeep://queue"]));
    await submitFeedback(service, stranger);
    await eventually(() => expect(theirs.heard).toEqual(["innkeep://queue"]));
    expect(heard).toEqual(["innkeep://queue"]);
  });

  it("leaves out what the token may not read and resources that cannot be followed", async () => {
    const stranger = await makeAppWithAgent(service);
    const theirs = await proposed(stranger);
    const mine = await proposed();
    const wanted = [theirs, "b5d1c0de-0000-4000-8000-000000000001", mine].map(uriOf);
    const { heard, uris } = await follow(service.baseUrl, tokenOf(cast), [...wanted, "innkeep://else"]);
    expect(uris).toEqual([uriOf(mine)]);
    await decide(service, stranger, theirs, { decision: "approve" });
    await decide(service, cast, mine, { decision: "reject" });
    await eventually(() => expect(heard).toEqual([uriOf(mine)]));
  });

  it("does not count as an agent's read of the approval", async () => {
    const run = await proposed();
    const { heard } = await follow(service.baseUrl, tokenOf(cast), [uriOf(run)]);
    await decide(service, cast, run, { decision: "approve" });
    await eventually(() => expect(heard).toEqual([uriOf(run)]));
    const row = await service.deps.database.get<{ at: string | null }>(
      "SELECT first_read_at AS at FROM runs WHERE id = ?",
      run,
    );
    expect(row).toEqual({ at: null });
  });

  it.each([
    ["the queue", async () => "innkeep://queue"],
    ["a proposal", async () => uriOf(await proposed())],
  ])("ends if the token is revoked, for %s", async (_, uri) => {
    const { access } = await connect(service, cast.person);
    const { closed } = await follow(service.baseUrl, access, [await uri()]);
    const { body } = await service.request("GET", "/api/v1/console/tokens", { headers: cast.person });
    const [, id] = /"id":"([\da-f-]{36})","kind":"oauth"/.exec(JSON.stringify(body)) ?? [];
    await service.request("DELETE", `/api/v1/console/tokens/${id}`, { headers: cast.person });
    expect(await closed).toBe("graceful");
  });
});

describe.each(databases)("streams of changes over MCP and HTTP at two servers on $name", (engine) => {
  it("send a decision of the other server, and end if the token is revoked on the other server", async () => {
    const database = await engine.create();
    const secret = "the same secret";
    const one = await startService({ database, secret });
    const other = await startService({ database, secret });
    const cast = await makeAppWithAgent(one);
    const run = await propose(one, cast, await submitFeedback(one, cast));
    const created = await one.request("POST", "/api/v1/console/tokens", {
      headers: cast.person,
      body: { kind: "agent", label: "follower" },
    });
    const uris = [uriOf(run), "innkeep://queue"];
    const { heard, closed } = await follow(other.baseUrl, created.field("token"), uris);
    await decide(one, cast, run, { decision: "approve" });
    await eventually(() => expect(heard).toEqual(expect.arrayContaining(uris)));
    await one.request("DELETE", `/api/v1/console/tokens/${created.field("id")}`, {
      headers: cast.person,
    });
    expect(await closed).toBe("graceful");
    await one.stop();
    await other.stop();
    await database.remove();
  });
});

describe("streams of changes over MCP and HTTP", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  it("are refused above twenty for a token until one ends", async () => {
    const token = await service.makeToken(cast.owner, "agent");
    const open = () => follow(service.baseUrl, token, ["innkeep://queue"]);
    const [first] = await Promise.all(Array.from({ length: 20 }, open));
    await expect(open()).rejects.toThrow(/20 open streams/);
    await first?.end();
    await eventually(open);
  });

  it("leave no memory in use after their client disconnects", async () => {
    const { threadWatch } = service.deps;
    const listen = threadWatch.listen.bind(threadWatch);
    const stopped = vi.fn();
    const spy = vi.spyOn(threadWatch, "listen").mockImplementation((wake) => {
      const stop = listen(wake);
      return () => stopped(stop());
    });
    const { end } = await follow(service.baseUrl, tokenOf(cast), ["innkeep://queue"]);
    await eventually(() => expect(spy).toHaveBeenCalledOnce());
    expect(stopped).not.toHaveBeenCalled();
    await end();
    await eventually(() => expect(stopped).toHaveBeenCalledOnce());
    spy.mockRestore();
  });

  it.each([
    ["missing", undefined],
    ["a text", "innkeep://queue"],
    ["other values", [1, null, {}]],
  ])("are refused or empty if the list of resources is %s", async (_, resourceSubscriptions) => {
    const { headers, body } = newerMessage("subscriptions/listen", {
      notifications: { resourceSubscriptions },
    });
    const answer = await service.request("POST", "/mcp", { headers: { ...headers, ...cast.agent }, body });
    expect(answer.text).toMatch(/"code":-32602|"notifications":\{\}/);
  });
});

it("a server that stops ends its streams with their last message", async () => {
  const service = await startService();
  const cast = await makeAppWithAgent(service);
  const { closed } = await follow(service.baseUrl, tokenOf(cast), ["innkeep://queue"]);
  service.beginStop();
  expect(await closed).toBe("graceful");
  await service.stop();
});
