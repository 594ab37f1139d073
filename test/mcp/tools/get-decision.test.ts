import { describe, expect, it } from "vitest";
import type { StdioOptions } from "../../../mcp/options.ts";
import { hashOf } from "../../../mcp/proposal-files.ts";
import { nextSteps } from "../../../mcp/tools/get-decision.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const texts = { summary: "The kettle is null.", plan: "1. Check the kettle.\n2. Add a test." };
const unknownRun = "0a9b8c7d-0000-4000-8000-0000000000ff";

describe("the tool get_decision", () => {
  const start = async (options: Pick<StdioOptions, "stateDirectory" | "clock"> = {}) => {
    const api = await startFakeApi();
    const open = async () => {
      const { client } = await openMcpSession("2026-07-28", { baseUrl: api.baseUrl, ...options });
      return async (name: string, args: Record<string, unknown>) =>
        readToolResult(await client.callTool(name, args));
    };
    const call = await open();
    const feedback = api.addThread();
    const { structured } = await call("propose_plan", { feedback, ...texts });
    return { api, open, call, feedback, run_id: String(structured.run_id) };
  };

  it("says without an error that a proposal awaits approval", async () => {
    const { call, run_id } = await start({ clock: manualClock().clock });
    const { isError, structured } = await call("get_decision", { run_id });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      run_id,
      status: "awaiting_approval",
      may_proceed: false,
      approved_plan: null,
      waited_seconds: 0,
      next_step: nextSteps.awaiting,
    });
  });

  it("advises increasing pauses up to five minutes", async () => {
    const { call, run_id } = await start();
    const pauses: unknown[] = [];
    for (let i = 0; i < 6; i += 1)
      pauses.push((await call("get_decision", { run_id })).structured.retry_after_seconds);
    expect(pauses).toEqual([30, 60, 120, 240, 300, 300]);
  });

  it("says after an approval that the agent may proceed, with the exact approved text and the note", async () => {
    const { api, call, feedback, run_id } = await start();
    api.decide(run_id, "approved", "Only step 1, please.");
    const { structured, text } = await call("get_decision", { run_id });
    expect(structured).toMatchObject({
      feedback_id: feedback,
      status: "approved",
      may_proceed: true,
      decision_note: "Only step 1, please.",
      decided_at: "2026-11-21T10:05:00.000Z",
      retry_after_seconds: 0,
      approved_plan: { ...texts, sha256: hashOf(texts.plan) },
      next_step: nextSteps.approved,
    });
    for (const part of ["Only step 1, please.", texts.plan, hashOf(texts.plan)]) expect(text).toContain(part);
  });

  it("says after a rejection that the agent must stop", async () => {
    const { api, call, run_id } = await start();
    api.decide(run_id, "rejected", "Too risky.");
    const { structured } = await call("get_decision", { run_id });
    expect(structured).toMatchObject({
      status: "rejected",
      may_proceed: false,
      approved_plan: null,
      decision_note: "Too risky.",
      next_step: nextSteps.rejected,
    });
  });

  it.each([
    ["request_changes", nextSteps.changes],
    ["recalled", nextSteps.recalled],
    ["expired", nextSteps.expired],
    ["something new", nextSteps.rejected],
  ])(
    "says after the decision %s what the agent must do, and never that it may proceed",
    async (decision, next_step) => {
      const { api, call, run_id } = await start();
      const body = { id: run_id, status: "rejected", decision, decisionNote: "Smaller steps." };
      api.fail({ body });
      const { structured } = await call("get_decision", { run_id });
      expect(structured).toMatchObject({
        ...{ status: "rejected", may_proceed: false, approved_plan: null, next_step },
        ...{ decision: decision === "something new" ? null : decision, decision_note: "Smaller steps." },
      });
    },
  );

  it("says after a replacement that the agent must stop, with the id of the newer proposal", async () => {
    const { call, feedback, run_id } = await start();
    const other = { feedback, summary: "Other", plan: "Another plan", expected_run_id: run_id };
    const { structured: newer } = await call("propose_plan", other);
    const { structured } = await call("get_decision", { run_id });
    expect(structured).toMatchObject({
      status: "rejected",
      may_proceed: false,
      superseded_by: newer.run_id,
      next_step: nextSteps.superseded,
    });
  });

  it.each(["expired", "APPROVED", "approved ", "", "approved\u200b", "auto_approved", "true"])(
    "does not allow the agent to proceed on the status %j",
    async (status) => {
      const { api, call, run_id } = await start();
      api.decide(run_id, status);
      const { structured } = await call("get_decision", { run_id });
      expect(structured).toMatchObject({
        may_proceed: false,
        approved_plan: null,
        next_step: nextSteps.unknown,
      });
    },
  );

  it.each([
    [{ id: "x" }],
    [{ status: { approved: true } }],
    [{ approved: true, may_proceed: true }],
    [null],
    [["approved"]],
  ])("does not allow the agent to proceed on the answer %j", async (body) => {
    const { api, call, run_id } = await start();
    api.fail({ body });
    const { text, structured } = await call("get_decision", { run_id });
    expect(text).not.toContain(nextSteps.approved);
    expect(structured.may_proceed ?? false).toBe(false);
  });

  it("does not allow the agent to proceed on an answer that is not JSON", async () => {
    const { api, call, run_id } = await start();
    api.fail({ body: "approved" });
    const { isError, text } = await call("get_decision", { run_id });
    expect(isError).toBe(true);
    expect(text).toContain("in a form that this version does not support");
  });

  it("requests the decision from the server again for each answer", async () => {
    const { api, call, run_id } = await start();
    api.decide(run_id, "approved");
    expect((await call("get_decision", { run_id })).structured.may_proceed).toBe(true);
    api.fail({ status: 500 });
    expect((await call("get_decision", { run_id })).isError).toBe(true);
  });

  it("returns the approved text from the record after a restart", async () => {
    const { api, open, run_id } = await start({ stateDirectory: await temporaryFolder() });
    api.decide(run_id, "approved");
    const { structured } = await (await open())("get_decision", { run_id });
    expect(structured.approved_plan).toEqual({ ...texts, sha256: hashOf(texts.plan) });
  });

  it("returns the text of the thread without a record, if the agent names the thread", async () => {
    const { api, open, feedback, run_id } = await start();
    api.decide(run_id, "approved");
    const call = await open();
    const { structured } = await call("get_decision", { run_id });
    expect(structured).toMatchObject({
      may_proceed: false,
      approved_plan: null,
      next_step: nextSteps.approvedWithoutText,
    });
    const { structured: named } = await call("get_decision", { run_id, feedback });
    expect(named.approved_plan).toEqual({ ...texts, sha256: hashOf(texts.plan) });
    expect(named.next_step).toBe(nextSteps.approved);
  });

  it("finds the thread of a proposal that it has read there", async () => {
    const { api, open, feedback, run_id } = await start();
    api.decide(run_id, "approved");
    const call = await open();
    await call("read_feedback", { feedback });
    const { structured } = await call("get_decision", { run_id });
    expect(structured).toMatchObject({ feedback_id: feedback, approved_plan: texts });
  });

  it("never returns the text of another proposal as the approved text", async () => {
    const { api, open, call, feedback, run_id } = await start();
    api.decide(run_id, "approved");
    await call("propose_plan", { feedback, summary: "Other", plan: "Another plan" });
    const { structured } = await (await open())("get_decision", { run_id, feedback });
    expect(structured).toMatchObject({ may_proceed: false, approved_plan: null });
  });

  it("keeps the approval if the thread cannot be read", async () => {
    const { api, open, feedback, run_id } = await start();
    api.decide(run_id, "approved");
    api.fail({}, { status: 503 });
    const { structured } = await (await open())("get_decision", { run_id, feedback });
    expect(structured).toMatchObject({ status: "approved", may_proceed: false, approved_plan: null });
  });

  it.each(["42", "", "../feedback/x", unknownRun.slice(1)])("rejects the run id %j", async (run_id) => {
    const { api, call } = await start();
    const before = api.requests.length;
    const { isError, text } = await call("get_decision", { run_id });
    expect(isError).toBe(true);
    expect(text).toContain("`run_id` must be the UUID that propose_plan returned");
    expect(api.requests).toHaveLength(before);
  });

  it("does not find a proposal of another owner", async () => {
    const { call } = await start();
    const { isError, text } = await call("get_decision", { run_id: unknownRun });
    expect(isError).toBe(true);
    expect(text).toContain("Do not guess ids");
  });
});
