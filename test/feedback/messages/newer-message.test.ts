import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerOnPage } from "../../support/mail/answer-on-page.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { bearer, propose } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a reply that names the newest message that its writer saw", () => {
  let service: Service;
  let team: Team;
  let maria: Awaited<ReturnType<Team["join"]>>;
  let id: string;
  let statusUrl: string;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
    maria = await team.join("maintainer");
  });
  beforeEach(async () => {
    const sent = await report();
    id = sent.field("id");
    statusUrl = sent.field("statusUrl");
  });
  afterAll(() => service.stop());

  const report = (more: object = {}) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": team.app.key },
      body: { type: "bug", message: "It broke.", ...more },
    });
  const say = (call: Team["call"], more: object = {}) =>
    call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "On it.", ...more });
  const newest = async (): Promise<string> => Object((await thread()).messages.at(-1)).id;
  const thread = async () => Object((await team.call("GET", `/feedback/${id}`)).body);
  const refused = (error: RegExp) => ({
    status: 409,
    body: { code: "answered", error: expect.stringMatching(error) },
  });
  const none = { expectedMessageId: null };

  it("is refused after a reply of somebody else, and the refusal says who replied and when", async () => {
    const first = await say(team.call, none);
    expect(first.status).toBe(201);
    const { createdAt } = Object(first.body);
    expect(await say(maria.call, none)).toMatchObject({
      status: 409,
      body: {
        code: "answered",
        error: `${team.owner.email} replied at ${createdAt}. Read this message before you reply.`,
      },
    });
    expect((await thread()).messages).toHaveLength(1);
  });

  it("is refused after an answer of the sender that its writer has not seen", async () => {
    await say(team.call);
    const expectedMessageId = await newest();
    await answerOnPage(statusUrl, "It only happens on Mondays.");
    expect(await say(team.call, { expectedMessageId })).toMatchObject(
      refused(/^The sender answered at .*Z\. /),
    );
    expect((await thread()).messages).toHaveLength(2);
    expect((await say(team.call, { expectedMessageId: await newest() })).status).toBe(201);
  });

  it("is refused after a repeat of the report", async () => {
    const first = await report({ dedupeKey: "oven" });
    id = first.field("id");
    await report({ dedupeKey: "oven", name: "Bo" });
    expect(await say(team.call, none)).toMatchObject(
      refused(/^Somebody reported the same problem again at /),
    );
  });

  it("is refused after a note of a colleague", async () => {
    await say(maria.call, { direction: "note", body: "Legal answers this one." });
    expect(await say(team.call, none)).toMatchObject(refused(new RegExp(`^${maria.email} added a note at `)));
  });

  it("is refused after a step of an agent, and the refusal says which step it was", async () => {
    const agent = bearer(await service.makeToken(team.owner, "agent", { scopes: ["runs:work"] }));
    const runId = await propose(service, String(agent.authorization).replace("Bearer ", ""), id);
    expect(await say(team.call, none)).toMatchObject(
      refused(/^An agent proposed a plan at .*Z\. Read this plan before you reply\.$/),
    );
    const seen = { expectedMessageId: await newest() };
    await team.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
    const act = (step: string, body: object) =>
      service.request("POST", `/api/v1/agent/runs/${runId}/${step}`, { headers: agent, body });
    const claimId = (await act("claim", { worker: "one" })).field("claimId");
    await act("outcome", { claimId, status: "succeeded", summary: "Mended." });
    expect(await say(team.call, seen)).toMatchObject(
      refused(/^An agent reported the outcome of its work at .*Z\. Read this report before you reply\.$/),
    );
  });

  it("is sent after newer messages of its writer or of a blocked sender", async () => {
    const first = await report({ email: "kim@example.org", dedupeKey: "sink" });
    id = first.field("id");
    await say(maria.call);
    await say(maria.call, { direction: "note" });
    await team.call("POST", `${team.at}/blocked-senders`, { kind: "address", sender: "kim@example.org" });
    await answerOnPage(first.field("statusUrl"), "Hidden words.");
    expect((await say(maria.call, none)).status).toBe(201);
  });

  it("is sent by a person who saw the newest message, and is sent without the field as before", async () => {
    await say(team.call);
    const read = await newest();
    expect((await say(maria.call)).status).toBe(201);
    expect((await say(maria.call, { expectedMessageId: read })).status).toBe(201);
    expect((await say(team.call, { expectedMessageId: read })).status).toBe(409);
  });

  it("is refused if the named message is on another thread", async () => {
    await say(team.call);
    const elsewhere = await newest();
    id = (await report()).field("id");
    await say(team.call);
    expect((await say(maria.call, { expectedMessageId: elsewhere })).status).toBe(409);
  });

  it("is checked only if it is a reply, and not if it is a note", async () => {
    await say(team.call);
    expect((await say(maria.call, { ...none, direction: "note" })).status).toBe(201);
  });

  it("is sent once when two people reply at the same moment", async () => {
    const both = await Promise.all([team.call, maria.call].map((call) => say(call, none)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
