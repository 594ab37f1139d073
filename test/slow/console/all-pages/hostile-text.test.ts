import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { consolePaths, proposalPaths } from "../../../support/browser/console-paths.ts";
import { visitEach } from "../../../support/browser/tabs.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { dataUrl, pdf } from "../../../support/files/sample-files.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeProposalStates } from "../../../support/worlds/agents/proposal-states.ts";
import { newListing, recordSession } from "../../../support/worlds/listing-and-slot-activity.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

/** Texts with which senders and agents could try to run code in a page of the console. */
const payloads = [
  "<script>alert(1)</script>",
  "</title></textarea></select></pre></style><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<a href=javascript:alert(1)>x</a><base href=//evil.example/>",
  "<form action=//evil.example><button>Approve</button></form>",
  "<meta http-equiv=refresh content='0;url=//evil.example'><link rel=stylesheet href=//evil.example>",
  "[x](javascript:alert(1)) ![x](//evil.example/x.png) <javascript:alert(1)>",
  "{{constructor.constructor('alert(1)')()}} <!-- --><![CDATA[<script>alert(1)</script>]]>",
  "\u202E<script\u200B>alert(1)</script>\u202C &lt;script&gt; &#60;img src=x onerror=alert(1)&#62;",
] as const;

describe("a hostile text on a page", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  let page: Page;
  let tabs: readonly Page[];
  const happened: string[] = [];
  /** The pages that show only one object, by the payload in it. */
  const planted = new Map<string, readonly string[]>();
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
    await world.call("PATCH", `/apps/${world.app.id}`, { name: payloads[1].slice(0, 100) });
    for (const payload of payloads) planted.set(payload, await plant(service, world, payload));
    page = await openPage(browser, service, world.headers);
    tabs = [page, await openPage(browser, service, world.headers)];
    for (const tab of tabs) watch(tab, service, happened);
  });

  it.each(payloads)("is not executed, loads nothing, and creates no element: %j", async (payload) => {
    await visitEach(tabs, planted.get(payload) ?? expect.fail("not planted"), expectHarmless);
    expect(happened).toEqual([]);
  });

  it("has no effect in lists", async () => {
    await visitEach(tabs, [...consolePaths(world), world.senderPath], expectHarmless);
    expect(happened).toEqual([]);
  });

  it.each(payloads)("is not executed in a preview or in a form that is shown again: %j", async (payload) => {
    await page.goto(`/console/changelog/${world.app.id}/new`);
    await page.getByLabel("Title").fill(payload);
    await page.getByLabel("Text", { exact: true }).fill(payload);
    for (const button of ["Preview", "Save draft"]) {
      await page.locator("form.editor").evaluate((form) => form.setAttribute("novalidate", ""));
      await page.getByRole("button", { name: button }).click();
      await page.waitForLoadState();
      expect(await page.evaluate(foreignElements)).toEqual([]);
      expect(await page.getByLabel("Title").inputValue()).toBe(payload);
    }
    expect(happened).toEqual([]);
  });
});

async function expectHarmless(page: Page, path: string): Promise<void> {
  const answer = await page.goto(path);
  expect([path, answer?.status()]).toEqual([path, 200]);
  expect([path, await page.evaluate(foreignElements)]).toEqual([path, []]);
}

/** Writes the payload into every field. Returns the pages that show only one object. */
async function plant(service: Service, world: OwnerWithOneOfEach, payload: string): Promise<string[]> {
  const short = payload.slice(0, 100);
  const { id: app, key } = world.app;
  const id = await sendFeedback(service, key, {
    ...{ message: payload, subject: payload, name: payload, email: payload, source: short },
    metadata: { [payload]: payload, nested: { [payload]: [payload] } },
    attachments: [{ name: `${payload}.pdf`, data: dataUrl(pdf()) }],
  });
  const propose = (body: object) =>
    service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
      headers: bearer(world.agentToken),
      body,
    });
  const run = (await propose({ summary: payload, plan: payload })).field("runId");
  await world.call("POST", `/runs/${run}/decision`, { decision: "reject", note: payload });
  await propose({ summary: payload, plan: payload });
  for (const direction of ["note", "outbound"])
    await world.call("POST", `/feedback/${id}/messages`, { direction, body: payload });
  const faq = await world.call("POST", `/apps/${app}/faqs`, { question: payload, answer: payload });
  const lists = {
    items: [{ type: "fixed", text: payload }],
    versions: [{ platform: short, version: short }],
  };
  const entry = { title: payload, version: short, body: payload, allowDuplicate: true, ...lists };
  const note = await world.call("POST", `/apps/${app}/changelog`, entry);
  await world.call("POST", `/apps/${app}/keys`, { label: short });
  await world.call("POST", "/tokens", { kind: "agent", label: short });
  return [
    ...(await plantTest(service, world, payload)),
    ...proposalPaths(world, await makeProposalStates(service, world, payload)),
    `/console/feedback/${app}?${new URLSearchParams({ q: payload, status: "all" })}`,
    `/console/feedback/${app}/${id}`,
    `/console/faqs/${app}/${faq.field("id")}`,
    `/console/changelog/${app}/${note.field("id")}`,
    `/console/sign-in?${new URLSearchParams({ to: payload, done: payload })}`,
  ];
}

/** Writes the payload into a cycle: its listing, and the reports of a tester's app. */
async function plantTest(service: Service, world: OwnerWithOneOfEach, payload: string): Promise<string[]> {
  const app = world.app.id;
  const screens = [payload, "Home"];
  const texts = { appName: payload.slice(0, 100), testBrief: payload, screens };
  const listingId = (await world.call("POST", `/apps/${app}/listings`, { ...newListing, ...texts })).field(
    "id",
  );
  const plan = { startsOn: service.clock.now().toISOString().slice(0, 10), timezone: "UTC" };
  const planned = await world.call("POST", `/listings/${listingId}/cycles`, plan);
  const [cycleId, slotId] = [planned.field("cycle.id"), planned.field("slots.0.slotId")];
  const { email } = await service.makeUser(`${payload.toLowerCase()}${randomUUID()}@example.org`);
  await world.call("POST", `/slots/${slotId}/assign`, { email });
  await recordSession(service, slotId, { dayIndex: 1, reason: null, screens, appVersion: payload });
  const cycle = `/console/cycles/${app}/${cycleId}`;
  return [
    `/console/testing/${app}/${listingId}`,
    `${cycle}?slot=${slotId}`,
    `${cycle}?slot=${slotId}&day=1`,
    `${cycle}/report`,
  ];
}

/** Collects forbidden events: dialogs, browser errors, requests to other hosts. */
function watch(page: Page, { baseUrl }: Service, happened: string[]): void {
  page.on("dialog", async (dialog) => {
    happened.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("pageerror", (error) => happened.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (!/status of 400/.test(message.text())) happened.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseUrl}/`)) happened.push(`request: ${request.url()}`);
  });
}

/** Runs in the page: elements that no page of the console creates. */
function foreignElements(): string[] {
  const foreign = [
    "script:not([src^='/console/assets/'])",
    "link:not([href^='/console/assets/'])",
    "img:not([src^='/console/assets/'])",
    "svg[onload], [onerror], iframe, object, embed, base, [http-equiv], style",
    "form:not([action^='/console'], [action^='/p/t/'])",
    "a:not([href^='/console']):not([href$='/api/v1/docs']):not([href='/tavern/sign-up?to=%2Fconsole']):not([href^='#']):not([download]):not([rel='noopener noreferrer nofollow'])",
  ];
  return [...document.querySelectorAll(foreign.join(","))].map((element) => element.outerHTML.slice(0, 200));
}
