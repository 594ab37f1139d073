import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createProposalWorker } from "../../support/worlds/agents/proposal-states.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("the pages of decisions in sequence, without scripts", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let ids: string[];
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
    ids = [];
    await service.deps.database.write((tx) => tx.run("DELETE FROM runs WHERE app_id = ?", world.app.id));
    await service.deps.database.write((tx) =>
      tx.run("UPDATE feedback SET waiting = NULL, proposal_status = NULL WHERE app_id = ?", world.app.id),
    );
    for (const subject of ["First &amp; <b", "Second", "Third"]) {
      const id = await sendFeedback(service, world.app.key, { subject });
      await propose(service, world.agentToken, id, {
        summary: "# Plan\nUse **`list-store.ts`**, not a_b_c.",
      });
      ids.push(id);
    }
  });
  afterAll(() => service.stop());

  const hrefs = ({ text }: Answer) =>
    [...text.matchAll(/href="([^"]*list=decisions[^"]*)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
  const path = (id: string, at: number, list = "decisions") =>
    `/console/feedback/${world.app.id}/${id}?list=${list}&at=${at}`;
  const decide = (page: Answer, id: string, decision: string) =>
    owner.send(page, `/console/feedback/${world.app.id}/${id}/decision`, { decision, note: "Smaller." });

  it("open from the list, and show the position, the neighbours and the link back", async () => {
    const home = await owner.open("/console");
    expect(hrefs(home)).toEqual(ids.map((id, at) => `${path(id, at)}#proposal`));
    expect(readingOf(home)).toContain("Plan Use list-store.ts, not a_b_c.");
    const page = await owner.open(path(String(ids[1]), 1));
    expect(readingOf(page)).toMatch(/← Decisions .*‹ Previous thread 2 of 3 › Next thread/);
    expect(page.text).toContain('class="back"');
    expect(hrefs(page)).toEqual([path(String(ids[0]), 0), path(String(ids[2]), 2)]);
    const newest = await owner.open(path(String(ids[2]), 0, "decisions-newest"));
    expect(readingOf(newest)).toMatch(/← Decisions .*1 of 3 › Next thread/);
    expect(newest.text).toContain('href="/console?order=newest"');
  });

  it("lead to the next proposal with a message about the last decision, and at the end to the list", async () => {
    const [first = "", second = "", third = ""] = ids;
    const answers: string[] = [];
    const open: [string, number, string, string][] = [
      [second, 1, "approve", path(third, 1)],
      [third, 1, "request_changes", path(first, 0)],
      [first, 0, "reject", "/console"],
    ];
    for (const [id, at, decision, next] of open) {
      const { status, headers } = await decide(await owner.open(path(id, at)), id, decision);
      expect(status).toBe(303);
      const [location = ""] = String(headers.get("location")).split("#");
      expect(location).toContain(next);
      answers.push(readingOf(await owner.open(location)));
    }
    expect(answers[0]).toContain("Approved: Second . The agent may now proceed.");
    expect(answers[1]).toContain("You asked for changes: Third . The agent reads your note");
    expect(answers[2]).toContain("Rejected: First &amp; <b . The agent must not proceed.");
    expect(answers[2]).toContain("No proposal is waiting");
  });

  it("say that no proposal waits if only other things wait, and that nothing waits if that is so", async () => {
    await service.deps.database.write((tx) =>
      tx.run("UPDATE feedback SET waiting = NULL WHERE app_id = ?", world.app.id),
    );
    const page = readingOf(await owner.open("/console"));
    expect(page).toContain("1 slot request, 1 test with too few testers");
    expect(page).toContain("No proposal is waiting");
    expect(page).not.toContain("Nothing is waiting for you");
    const other = await service.makeUser();
    await service.makeApp(other);
    const browser = createBrowserWithoutScripts(service, await service.signIn(other));
    expect(readingOf(await browser.open("/console"))).toContain("Nothing is waiting for you");
  });

  it("do not say that nothing waits while failed work is listed", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const token = await service.makeToken(other.owner, "agent", { scopes: ["runs:work"] });
    const worker = createProposalWorker(service, other, token);
    const runId = await worker.propose(await worker.newThread());
    await worker.decide(runId, "approve");
    await worker.outcome(runId, { claimId: await worker.claim(runId), status: "failed" });
    const { database } = service.deps;
    await database.write((tx) => tx.run("UPDATE feedback SET waiting = NULL WHERE app_id = ?", other.app.id));
    await database.write((tx) => tx.run("DELETE FROM listings WHERE app_id = ?", other.app.id));
    const page = readingOf(await createBrowserWithoutScripts(service, other.headers).open("/console"));
    expect(page).toContain("Failed in the last 30 days");
    expect(page).not.toMatch(/slot request|too few testers|Nothing is waiting for you/);
    expect(page).toContain("No proposal is waiting");
  });

  it("tell a viewer how many proposals wait for other members", async () => {
    const viewer = await service.makeUser();
    const member = {
      app_id: world.app.id,
      user_id: viewer.id,
      created_at: service.clock.now().toISOString(),
    };
    await service.deps.database.insert("app_members", { ...member, role: "viewer" });
    const browser = createBrowserWithoutScripts(service, await service.signIn(viewer));
    const words = "3 proposals wait for members who may decide. You can read them, but not decide.";
    const page = readingOf(await browser.open("/console"));
    expect(page).toContain("Nothing is waiting for you");
    expect(page).toContain(words);
    expect(readingOf(await owner.open("/console"))).not.toContain("wait for members");
  });

  it("show no text of a proposal that an address names but the person may not see", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const foreign = await sendFeedback(service, other.app.key, { subject: "Secret" });
    const page = await owner.open(`/console?done=approved&decided=${foreign}`);
    expect(readingOf(page)).toContain("Approved. The agent may now proceed.");
    expect(page.text).not.toContain("Secret");
    for (const query of ["done=toString&decided=1", "done=approved&decided=1", "done=x"])
      expect((await owner.open(`/console?${query}`)).status).toBe(200);
  });
});
