import { describe, expect, it } from "vitest";
import { rounds } from "../../support/torture.ts";
import { eras } from "../support/clients.ts";
import { type FakeApi, startFakeApi } from "../support/fake-api.ts";
import { injectionPayloads } from "../support/injection-payloads.ts";
import { expectFenced, expectOnlyMarked, marks, wordsOf } from "../support/marked-words.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";
import { transports } from "../support/transports.ts";

const id = "0a9b8c7d-0000-4000-8000-00000000000b";

/** The same code marks the text in all places, so the short form of the tests puts each payload into one of them. */
const somePayloads = injectionPayloads.filter((_, at) => at % rounds(4, 1) === 0);

/** The texts of a payload, each with the mark of the one who wrote it. */
const saidWith = (payload: string) => ({
  ofPublic: wordsOf("public", payload),
  ofTeam: wordsOf("team", payload),
  ofAgents: wordsOf("agents", payload),
  ofDecision: wordsOf("decision", payload),
});

/** Text of strangers in every place that a person, an agent or a faulty server can fill. */
function hostileThread(payload: string) {
  const { ofPublic, ofTeam, ofAgents, ofDecision } = saidWith(payload);
  const facts = {
    subject: ofPublic,
    source: ofPublic,
    category: ofPublic,
    metadata: { [ofPublic]: ofPublic, nested: [{ [ofPublic]: ofPublic }] },
    images: [ofPublic, `https://else.example/uploads/${ofPublic}.svg`],
    videos: [ofPublic],
    attachments: [{ name: `${ofPublic}.pdf`, url: ofPublic, mediaType: ofPublic, size: ofPublic }],
  };
  const links = { githubIssueUrl: ofPublic, consoleUrl: ofPublic };
  const feedback = { ...facts, ...links, message: ofPublic, status: ofPublic, createdAt: ofPublic };
  const decision = { decision: ofPublic, decisionNote: ofDecision, decidedAt: ofPublic };
  const messages = [
    { direction: ofPublic, author: ofPublic, body: ofPublic, createdAt: ofPublic },
    { direction: "inbound", author: "sender", body: ofPublic, createdAt: null, ...facts },
    { direction: "note", body: ofPublic, createdAt: "2026-11-20T08:00:00.000Z" },
    { direction: "note", author: "team", body: ofTeam, createdAt: "2026-11-20T08:01:00.000Z" },
    { direction: "outbound", author: "team", body: ofTeam, createdAt: "2026-11-20T08:02:00.000Z" },
    { direction: "note", author: "agent", body: ofAgents, createdAt: "2026-11-20T08:03:00.000Z" },
  ];
  const texts = { summary: ofAgents, plan: ofAgents };
  const latestProposal = { id: "run-1", status: ofPublic, replacedBy: ofPublic, ...texts, ...decision };
  return [feedback, { app: { id: ofPublic, name: ofTeam }, messages, latestProposal }] as const;
}

function hostileList(payload: string) {
  const { ofPublic: said, ofTeam } = saidWith(payload);
  const words = { type: said, status: said, createdAt: said, activeAt: said, waiting: said, runId: said };
  const app = { id: said, name: ofTeam };
  const item = { id, subject: said, consoleUrl: said, occurrences: said, app, ...words };
  const other = { ...item, id: said, app: { id: said, name: `Other ${ofTeam}` } };
  return { items: [item, other], nextCursor: said, changes: said };
}

function hostileRun(payload: string, status = "approved") {
  const { ofPublic, ofAgents, ofDecision } = saidWith(payload);
  const names = { worker: ofPublic, claimedAt: ofPublic, releasedAt: ofPublic };
  return {
    ...{ id, status, decision: ofPublic, decisionNote: ofDecision, decidedAt: ofPublic },
    ...{ replacedBy: ofPublic, feedbackId: ofPublic, consoleUrl: ofPublic, planSha256: null },
    ...{ summary: ofAgents, plan: ofAgents, expiresAt: ofPublic, claim: names },
    progress: { text: ofAgents, reportedAt: ofPublic, count: ofPublic },
    outcome: { status: ofAgents, summary: ofAgents, links: [ofAgents], reportedAt: ofPublic },
  };
}

const unreported = (payload: string) => ({ ...hostileRun(payload), outcome: null });

describe.each(transports)("a text from outside over $name", ({ open }) => {
  const start = async () => {
    const api = await startFakeApi();
    const client = await open(api);
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      readToolResult(await client.callTool(name, args));
    return { api, client, call };
  };

  /**
   * Calls a tool for each payload. The server answers `body`, and each answer of the tool must mark all text correctly.
   */
  const answersOf = async (name: string, args: object, bodyOf: (payload: string) => object) => {
    const { api, call } = await start();
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    for (const [, payload] of somePayloads) {
      api.fail({ body: bodyOf(payload) });
      const answer = await call(name, { ...args });
      expectOnlyMarked(answer);
      answers.push(answer);
    }
    return answers;
  };

  it("is shown with its author in read_feedback, for any text", async () => {
    const { api, call } = await start();
    for (const [, payload] of injectionPayloads) {
      const answer = await call("read_feedback", { feedback: threadIn(api, payload), max_chars: 60_000 });
      expectOnlyMarked(answer);
      for (const mark of Object.values(marks)) expect(answer.text.split(mark).length).toBeGreaterThan(2);
      expect(answer.structured).toMatchObject({
        untrusted: { message: expect.stringContaining(marks.public) },
        team: { app_name: expect.stringContaining(marks.team), messages: [{}, {}] },
        agents: { proposal: { plan: expect.stringContaining(marks.agents) }, messages: [{}] },
        latest_proposal: { decision_note: expect.stringContaining(marks.decision) },
      });
    }
  });

  it("is outside these places only if it is a value of a fixed form", async () => {
    const { api, call } = await start();
    const { structured } = await call("read_feedback", { feedback: threadIn(api, "x"), max_chars: 60_000 });
    const { untrusted, team, agents, feedback_id, console_url, ...rest } = structured;
    expect(rest).toEqual({
      app: { id: "unknown" },
      ...{ category: "unknown", status: "unknown", occurrences: 1, created_at: null },
      github_issue_url: null,
      latest_proposal: {
        ...{ run_id: "run-1", status: "unknown", decision: null, decided_at: null },
        ...{ created_at: null, superseded_by: null, decision_note: wordsOf("decision", "x") },
      },
      images: [0, 1].map((index) => ({
        index,
        url: null,
        resource_uri: `innkeep://feedback/${feedback_id}/images/${index}`,
      })),
      videos: [{ index: 0, url: null }],
      attachments: [{ index: 0, url: null, media_type: "unknown", size: null }],
      ...{ truncated: false, omitted: { messages: 0, chars: 0 }, next_cursor: null, removed_characters: 0 },
    });
  });

  it("is shown with its author in list_feedback", async () => {
    for (const { structured } of await answersOf("list_feedback", {}, hostileList))
      expect(structured).toMatchObject({
        next_cursor: null,
        untrusted: { subjects: [expect.stringContaining(marks.public), expect.anything()] },
        team: { app_names: [expect.stringContaining("zq7"), expect.anything()] },
      });
  });

  it("is only in the decision in get_decision", async () => {
    for (const { structured } of await answersOf("get_decision", { run_id: id }, unreported))
      expect(structured).toMatchObject({
        decision_note: expect.stringContaining(marks.decision),
        approved_plan: { plan: expect.stringContaining(marks.agents) },
      });
    for (const status of ["rejected", "awaiting_approval"])
      for (const { structured } of await answersOf("get_decision", { run_id: id }, (said) =>
        hostileRun(said, status),
      ))
        expect(structured).toMatchObject({ may_proceed: false, approved_plan: null });
  });

  it("is only in the decision in start_work", async () => {
    const claimed = (said: string) => ({
      ...{ claimId: id, worker: saidWith(said).ofPublic, claimedAt: saidWith(said).ofPublic },
      run: unreported(said),
    });
    for (const { structured } of await answersOf("start_work", { run_id: id }, claimed))
      expect(structured).toMatchObject({ approved_plan: { plan: expect.stringContaining(marks.agents) } });
  });

  it("is in no answer of report_outcome", async () => {
    const args = { run_id: id, claim_id: id, status: "failed", summary: "It failed." };
    for (const { text } of await answersOf("report_outcome", args, (said) => hostileRun(said)))
      expect(text).not.toContain("zq7");
  });

  it("is only in the decision in propose_plan if the same plan was decided before", async () => {
    const { api, call } = await start();
    for (const [, payload] of somePayloads) {
      const { ofDecision } = saidWith(payload);
      const latestProposal = { id, status: "rejected", summary: "S", plan: "P", decisionNote: ofDecision };
      const feedback = api.addThread({ subject: saidWith(payload).ofPublic }, { latestProposal });
      const answer = await call("propose_plan", { feedback, summary: "S", plan: "P" });
      expectOnlyMarked(answer);
      expect(answer.structured).toMatchObject({
        duplicate: true,
        may_proceed: false,
        decision_note: expect.stringContaining(marks.decision),
      });
    }
  });

  it("is shown with its author in the resources", async () => {
    const { api, client } = await start();
    for (const [, payload] of somePayloads) {
      const lists = [hostileList(payload), hostileList(payload), hostileList(payload)];
      api.fail(...lists.map((body) => ({ body })));
      const queue = JSON.stringify(await client.readResource("innkeep://queue"));
      for (const part of textIn(queue).split(/^## /m)) expectFenced(part);
      const thread = await client.readResource(`innkeep://feedback/${threadIn(api, payload)}`);
      expectFenced(textIn(JSON.stringify(thread)));
      api.fail({ body: hostileRun(payload) });
      const run = await client.readResource(`innkeep://runs/${id}`);
      expectOnlyMarked({ text: "", structured: JSON.parse(textIn(JSON.stringify(run))) });
    }
  });

  it("is in no error message", async () => {
    const { api, call } = await start();
    for (const [, payload] of somePayloads) {
      const said = saidWith(payload).ofPublic;
      for (const status of [400, 403, 404, 409, 500]) {
        api.fail({ status, body: { error: said, code: said, requestId: said } });
        const { isError, text } = await call("read_feedback", { feedback: id });
        expect(isError).toBe(true);
        expect(text).not.toContain("zq7");
      }
    }
  });
});

const threadIn = (api: FakeApi, payload: string): string => api.addThread(...hostileThread(payload));

/** The text of a resource. */
const textIn = (contents: string): string => String(JSON.parse(contents).contents[0].text);

describe.each(eras)("a text from outside over stdio of %s", (era) => {
  const read = async (payload: string) => {
    const api = await startFakeApi();
    const { client, stderr } = await openMcpSession(era, { baseUrl: api.baseUrl });
    const answer = await client.callTool("read_feedback", { feedback: threadIn(api, payload) });
    return { ...readToolResult(answer), stderr };
  };

  it("has a new fence in every answer", async () => {
    const fences = [await read("a"), await read("a")].map(({ text }) => /^--- (\w+) /m.exec(text)?.[1]);
    expect(new Set(fences).size).toBe(2);
  });

  it("is not in the log", async () => {
    expect((await read("x")).stderr()).toBe("");
  });

  it("is returned with the number of the removed characters", async () => {
    expect(Number((await read("a\u200bb")).structured.removed_characters)).toBeGreaterThanOrEqual(8);
  });
});
