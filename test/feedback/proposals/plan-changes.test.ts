import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createProposalWorker, type ProposalWorker } from "../../support/worlds/agents/proposal-states.ts";
import { makeOwnerWithOneOfEach } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a second plan", () => {
  let service: Service;
  let owner: BrowserWithoutScripts;
  let worker: ProposalWorker;
  beforeAll(async () => {
    service = await startService();
    const world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, await service.signIn(world.owner));
    worker = createProposalWorker(service, world, world.agentToken);
  });
  afterAll(() => service.stop());

  /** The page after a first plan with this decision, if there is one, and a second plan. */
  const pageAfter = async (first: string, second: string, decision?: string) => {
    const id = await worker.newThread();
    const runId = await worker.propose(id, first);
    if (decision) await worker.decide(runId, decision, "Smaller steps.");
    await worker.propose(id, second);
    return owner.open(worker.address(id));
  };

  it("after a request for changes is shown with the request, the differences and the whole plan", async () => {
    const page = await pageAfter(
      "1. Find it\n2. Mend it\n3. Test",
      "1. Find it\n2. Mend half\n3. Test",
      "request_changes",
    );
    expect(readingOf(page)).toMatch(
      /What changed since .* The changes that were asked for: Smaller steps\. 1 line added, 1 line removed\. 1\. Find it − Removed: 2\. Mend it \+ Added: 2\. Mend half 3\. Test The whole plan How the plan is shown As written Rendered 1\. Find it 2\. Mend half 3\. Test/,
    );
  });

  it("that replaced the first one is shown with the differences", async () => {
    const text = readingOf(await pageAfter("1. Find it", "1. Find it\n2. Mend it"));
    expect(text).toMatch(/What changed .* 1 line added, 0 lines removed\. 1\. Find it \+ Added: 2\. Mend it/);
  });

  it("after a rejection is shown as a separate plan", async () => {
    expect(readingOf(await pageAfter("1. A", "1. B", "reject"))).not.toContain("What changed");
  });

  it("that is equal to the first one is marked as unchanged", async () => {
    expect(readingOf(await pageAfter("1. A", "1. A", "request_changes"))).toContain(
      "The plan is the same, word for word.",
    );
  });

  it("that differs only in line ends is marked so", async () => {
    expect(readingOf(await pageAfter("1. A\n2. B", "1. A\r\n2. B", "request_changes"))).toContain(
      "Only the line endings differ",
    );
  });

  it("is shown without lines that are far from every change", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `Line ${at}`);
    const page = await pageAfter(lines.join("\n"), lines.with(20, "Another").join("\n"), "request_changes");
    expect(readingOf(page)).toMatch(
      /removed\. 17 lines not changed Line 17 .* 16 lines not changed The whole plan/,
    );
  });

  it("of 20,000 characters without a common line is not compared line by line", async () => {
    const long = (text: string) => `${text}\n`.repeat(9_999) + text;
    const page = await pageAfter(long("a"), long("b"), "request_changes");
    expect(readingOf(page)).toContain("The two plans differ too much to compare them line by line.");
    expect(page.text).not.toContain('class="difference"');
  });

  it("is shown with marks for hidden characters of both plans, and without HTML of the plans", async () => {
    const page = await pageAfter("1. A\u202E<b>x", "1. A\u200B<i>y", "request_changes");
    const text = readingOf(page);
    expect(text).toMatch(/− Removed: 1\. A U\+202E <b>x/);
    expect(text).toMatch(/\+ Added: 1\. A U\+200B <i>y/);
    expect(page.text).not.toMatch(/<b>x|<i>y/);
  });

  it("is shown with its SHA-256 in short and in full", async () => {
    const id = await worker.newThread();
    const runId = await worker.propose(id);
    const whole = (await worker.poll(runId)).field("planSha256");
    const text = readingOf(await owner.open(worker.address(id)));
    expect(text).toContain(`SHA-256 of the plan ${whole.slice(0, 12)}…`);
    expect(text).toContain(` ${whole} `);
  });
});
