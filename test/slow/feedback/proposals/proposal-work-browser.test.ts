import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { createProposalWorker, type ProposalWorker } from "../../../support/worlds/agents/proposal-states.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a person who looks at the work of an agent in a browser", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let worker: ProposalWorker;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
    const token = await service.makeToken(world.owner, "agent", { scopes: ["runs:work"] });
    worker = createProposalWorker(service, world, token);
  });

  const approved = async () => {
    const id = await worker.newThread();
    const runId = await worker.propose(id);
    await worker.decide(runId, "approve");
    return { id, runId };
  };

  it("sees claim and progress on the open page, and a typed note is kept", async () => {
    const { id, runId } = await approved();
    const page = await openPage(browser, service, world.headers);
    await page.clock.install();
    await page.goto(worker.address(id));
    await page.getByText("Recall the approval").click();
    await page.getByLabel("Why you recall it").fill("Wait for the design.");
    await page.getByRole("radio", { name: "Note" }).check();
    await page.getByLabel("Internal note").focus();
    const claimId = await worker.claim(runId);
    await worker.progress(runId, claimId, "Half of it.");
    await page.clock.runFor(21_000);
    await page.getByText("Half of it.").waitFor();
    expect(await page.locator(`#state-${runId}`).innerText()).toBe("In work");
    expect(await page.getByLabel("Why you recall it").inputValue()).toBe("Wait for the design.");
  });

  it.each([true, false])("recalls an approval, scripts: %s", async (javaScriptEnabled) => {
    const { id, runId } = await approved();
    const page = await openPage(browser, service, world.headers, { javaScriptEnabled });
    await page.goto(worker.address(id));
    await page.getByText("Recall the approval").click();
    await page.getByRole("button", { name: "Recall", exact: true }).click();
    expect(await page.getByRole("status").innerText()).toContain("The approval is recalled.");
    expect((await worker.poll(runId)).field("decision")).toBe("recalled");
  });

  it("reads in text for each line of a comparison whether the line was added or removed", async () => {
    const id = await worker.newThread();
    await worker.decide(await worker.propose(id, "1. A\n2. B"), "request_changes", "Other.");
    await worker.propose(id, "1. A\n2. C");
    const page = await openPage(browser, service, world.headers);
    await page.goto(worker.address(id));
    const list = page.getByRole("list", { name: "Changed lines of the plan" });
    const heard = ['- list "Changed lines of the plan":', "- listitem: 1. A"];
    const changed = ['- listitem: "Removed: 2. B"', '- listitem: "Added: 2. C"'];
    expect((await list.ariaSnapshot()).split("\n").map((line) => line.trim())).toEqual([
      ...heard,
      ...changed,
    ]);
  });
});
