import { describe, expect, it } from "vitest";
import { hashOf } from "../../../mcp/proposal-files.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { agentToken, startFakeApi } from "../support/fake-api.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const texts = { summary: "The kettle is null.", plan: "1. Check the kettle.\n2. Add a test." };

describe("the tool propose_plan", () => {
  const start = async (options: { stateDirectory?: string } = {}) => {
    const api = await startFakeApi();
    const open = async () => {
      const { client } = await openMcpSession("2026-07-28", { baseUrl: api.baseUrl, ...options });
      return async (args: Record<string, unknown>) =>
        readToolResult(await client.callTool("propose_plan", args));
    };
    return { api, open, propose: await open(), feedback: api.addThread() };
  };

  it("posts a proposal and asks the agent to wait", async () => {
    const { api, propose, feedback } = await start();
    const { structured } = await propose({ feedback, ...texts });
    expect(structured).toMatchObject({
      feedback_id: feedback,
      status: "awaiting_approval",
      may_proceed: false,
      duplicate: false,
      sha256: hashOf(texts.plan),
      console_url: expect.stringContaining("https://console.example/feedback/"),
      next_step: expect.stringContaining("Do not act on the plan yet"),
    });
    expect(JSON.parse(api.posts()[0]?.body ?? "")).toEqual(texts);
  });

  it("posts only visible text, and says how much was removed", async () => {
    const { api, propose, feedback } = await start();
    const { structured } = await propose({ feedback, summary: "A\u200bB", plan: " C\u{e0041}D \n" });
    expect(structured.removed_characters).toBe(2);
    expect(JSON.parse(api.posts()[0]?.body ?? "")).toEqual({ summary: "AB", plan: "CD" });
  });

  it("posts the spaces before the first line of a plan", async () => {
    const { api, propose, feedback } = await start();
    const plan = "  - a\n  - b";
    const { structured } = await propose({ feedback, ...texts, plan: `${plan}\n` });
    expect(structured.sha256).toBe(hashOf(plan));
    expect(JSON.parse(api.posts()[0]?.body ?? "")).toMatchObject({ plan });
  });

  it("returns the existing proposal for an identical text", async () => {
    const { api, propose, feedback } = await start();
    const { structured: first } = await propose({ feedback, ...texts });
    const { structured: second } = await propose({ feedback, ...texts, plan: ` ${texts.plan}\n` });
    expect(second).toMatchObject({ run_id: first.run_id, duplicate: true });
    expect(api.posts()).toHaveLength(1);
  });

  it("removes links to senders' pages as the server does, and recognises the same text again", async () => {
    const { api, propose, feedback } = await start();
    const link = "https://inn.example/p/t/AZH9o9zudEe23kLIw8gvjQAAAAAAkUeXyGO6rYQWLmW1oXbP9A";
    const given = { summary: `Answer ${link}`, plan: `1. Open ${link}` };
    const { structured: first } = await propose({ feedback, ...given });
    const stored = { summary: "Answer https://inn.example/p/t/…", plan: "1. Open https://inn.example/p/t/…" };
    expect(JSON.parse(api.posts()[0]?.body ?? "")).toEqual(stored);
    expect(first.sha256).toBe(hashOf(stored.plan));
    expect((await propose({ feedback, ...given })).structured).toMatchObject({
      ...{ run_id: first.run_id, duplicate: true, sha256: first.sha256 },
    });
    expect(api.posts()).toHaveLength(1);
  });

  it("posts one proposal if the same text is proposed several times at the same time", async () => {
    const { api, propose, feedback } = await start();
    const answers = await Promise.all(Array.from({ length: 5 }, () => propose({ feedback, ...texts })));
    expect(new Set(answers.map(({ structured }) => structured.run_id)).size).toBe(1);
    expect(api.posts()).toHaveLength(1);
  });

  it("keeps the proposal over a restart", async () => {
    const { api, open, propose, feedback } = await start({ stateDirectory: await temporaryFolder() });
    const { structured: first } = await propose({ feedback, ...texts });
    const { structured: second } = await (await open())({ feedback, ...texts });
    expect(second).toMatchObject({ run_id: first.run_id, duplicate: true });
    expect(api.posts()).toHaveLength(1);
  });

  it("recognises its text on the thread if there is no local record", async () => {
    const { api, open, propose, feedback } = await start();
    const { structured: first } = await propose({ feedback, ...texts });
    const { structured: second } = await (await open())({ feedback, ...texts });
    expect(second).toMatchObject({ run_id: first.run_id, duplicate: true });
    expect(api.posts()).toHaveLength(1);
  });

  it("returns the rejection of an identical plan, and does not post the plan again", async () => {
    const { api, propose, feedback } = await start();
    const { structured: first } = await propose({ feedback, ...texts });
    api.decide(String(first.run_id), "rejected", "Too risky.");
    const { structured, text } = await propose({ feedback, ...texts });
    expect(structured).toMatchObject({ status: "rejected", may_proceed: false, decision_note: "Too risky." });
    expect(structured.next_step).toContain("Do not carry out the plan");
    expect(text).toContain("Too risky.");
  });

  it("replaces a proposal that awaits approval only if the agent explicitly requests it", async () => {
    const { api, propose, feedback } = await start();
    const { structured: first } = await propose({ feedback, ...texts });
    const other = { feedback, summary: "Other", plan: "Another plan" };
    const { isError, text } = await propose(other);
    expect(isError).toBe(true);
    expect(text).toBe(
      `Nothing was posted: a proposal (run ${first.run_id}) is awaiting approval. Call get_decision, or, to replace it, pass expected_run_id: "${first.run_id}".`,
    );
    const { structured: second } = await propose({ ...other, expected_run_id: first.run_id });
    expect(second).toMatchObject({ status: "awaiting_approval", duplicate: false });
    expect(api.runs.get(String(first.run_id))?.replacedBy).toBe(second.run_id);
  });

  it("does not replace its own proposal on a server that does not return the latest proposal", async () => {
    const { api, propose } = await start();
    const feedback = api.addThread({}, { latestProposal: null });
    const { structured: first } = await propose({ feedback, ...texts });
    const { isError, text } = await propose({ feedback, summary: "Other", plan: "Another plan" });
    expect(isError).toBe(true);
    expect(text).toContain(String(first.run_id));
  });

  it.each(["archived", "resolved"])("says that the thread is %s", async (status) => {
    const { api, propose } = await start();
    const { structured, text } = await propose({ feedback: api.addThread({ status }), ...texts });
    expect(structured.note).toBe(
      `The thread is ${status}, so perhaps the people of the app no longer look at it. Tell your user.`,
    );
    expect(text).toContain(`The thread is ${status}`);
  });

  it("allows a new proposal after the last proposal was decided", async () => {
    const { api, propose, feedback } = await start();
    const { structured: first } = await propose({ feedback, ...texts });
    api.decide(String(first.run_id), "rejected");
    const { structured } = await propose({ feedback, summary: "Other", plan: "Another plan" });
    expect(structured).toMatchObject({ duplicate: false, status: "awaiting_approval" });
  });

  it.each([
    ["an answer of 502", { status: 502 }],
    ["a cut connection", { cut: "before" as const }],
  ])("does not post a second time after %s without an effect", async (_, fault) => {
    const { api, propose, feedback } = await start();
    api.fail({}, fault);
    const { isError, text } = await propose({ feedback, ...texts });
    expect(isError).toBe(true);
    expect(text).toContain("the thread does not show the proposal. Call propose_plan once more");
    expect(api.posts()).toHaveLength(1);
    expect((await propose({ feedback, ...texts })).structured.status).toBe("awaiting_approval");
  });

  it("finds the proposal on the thread if the connection ended after the proposal was accepted", async () => {
    const { api, propose, feedback } = await start();
    api.fail({}, { cut: "after" });
    const { structured } = await propose({ feedback, ...texts });
    expect(api.runs.has(String(structured.run_id))).toBe(true);
    expect(api.posts()).toHaveLength(1);
  });

  it("says that the result is unknown if the thread cannot be read afterwards", async () => {
    const { api, propose, feedback } = await start();
    api.fail({}, { cut: "after" }, { status: 503 });
    const { isError, text } = await propose({ feedback, ...texts });
    expect(isError).toBe(true);
    expect(text).toContain("It is not known whether the proposal was posted");
  });

  it("sends the same key with the same proposal, so that a repeat posts nothing a second time", async () => {
    const { api, propose, feedback } = await start();
    api.fail({}, { status: 502 });
    await propose({ feedback, ...texts });
    await propose({ feedback, ...texts });
    const [first, second] = api.posts().map(({ headers }) => headers["idempotency-key"]);
    expect(first).toMatch(/^mcp-[0-9a-f]{64}$/);
    expect(second).toBe(first);
  });

  it.each([
    ["its own token", agentToken],
    ["its own token, spread out", agentToken.split("").join(" ")],
    ["its own token, reversed", [...agentToken].reverse().join("")],
    ["its own token in base64", Buffer.from(agentToken).toString("base64")],
  ])("refuses a plan that contains %s", async (_, secret) => {
    const { api, propose, feedback } = await start();
    const { isError, text } = await propose({
      feedback,
      summary: "S",
      plan: `Send ${secret} to the channel`,
    });
    expect(isError).toBe(true);
    expect(text).toContain("`plan` seems to contain");
    expect(text).not.toContain(secret);
    expect(api.requests).toHaveLength(0);
  });

  it("refuses the agent's own token even if the token has an unknown form", async () => {
    const { api, feedback } = await start();
    const storedToken = async () => "hunter2hunter2";
    const { client } = await openMcpSession("2026-07-28", {
      baseUrl: api.baseUrl,
      agentToken: undefined,
      storedToken,
    });
    const plan = "Send hunter2hunter2 to the channel";
    const { text } = readToolResult(await client.callTool("propose_plan", { feedback, summary: "S", plan }));
    expect(text).toContain("the agent token of this server");
    expect(api.requests).toHaveLength(0);
  });

  it.each([
    ["an empty plan", { plan: "  " }, "`plan` must not be empty"],
    ["a plan of invisible characters", { plan: "\u200b\u2060" }, "`plan` has no visible characters"],
    ["a plan that is too long", { plan: "x".repeat(20_001) }, "`plan` must have at most 20000 characters"],
    [
      "a summary that is too long",
      { summary: "x".repeat(2_001) },
      "`summary` must have at most 2000 characters",
    ],
    ["half a character", { summary: "\ud800" }, "`summary`"],
  ])("refuses %s", async (_, part, sentence) => {
    const { api, propose, feedback } = await start();
    const { isError, text } = await propose({ feedback, ...texts, ...part });
    expect(isError).toBe(true);
    expect(text).toContain(sentence);
    expect(api.requests).toHaveLength(0);
  });
});
