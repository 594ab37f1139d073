import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a shared view that two maintainers change", () => {
  let service: Service;
  let team: Team;
  let maria: BrowserWithoutScripts;
  let otto: BrowserWithoutScripts;
  let inbox: string;
  let view: string;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    team = await makeTeam(service);
    maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
    otto = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
    inbox = `/console/feedback/${team.app.id}`;
    const body = { name: "Bugs", query: { type: "bug" }, shared: true };
    view = (await team.call("POST", `${team.at}/views`, body)).field("id");
  });
  afterAll(() => service.stop());

  const stored = async () => Object((await team.call("GET", `${team.at}/views`)).body).items[0];
  const linkIn = (page: Answer, pattern: RegExp): string =>
    (pattern.exec(page.text)?.[1] ?? "").replaceAll("&amp;", "&");
  /** Opens the view with its link in the list of views. */
  const openView = async (browser: BrowserWithoutScripts): Promise<Answer> =>
    browser.open(linkIn(await browser.open(inbox), /href="([^"]*saved=[^"]*)"/));
  /** Adds filters to the shown list, as the form for the filters does. */
  const filtered = (browser: BrowserWithoutScripts, page: Answer, values: Record<string, string>) => {
    const [form = ""] = /<form class="stack tight" method="get"[\s\S]*?<\/form>/.exec(page.text) ?? [];
    return browser.open(`${inbox}?${new URLSearchParams({ ...fieldsOf(form), ...values })}`);
  };
  const action = () => `/console/views/${team.app.id}/${view}/change`;
  const save = (browser: BrowserWithoutScripts, page: Answer, values: Record<string, string> = {}) =>
    browser.send(page, action(), values);
  const saveFilters = async (browser: BrowserWithoutScripts, values: Record<string, string>) =>
    expect((await save(browser, await filtered(browser, await openView(browser), values))).status).toBe(303);

  it("keeps the filters that the other one saved if only its name is changed", async () => {
    const page = await openView(maria);
    await saveFilters(otto, { type: "question" });
    const renamed = await save(maria, page, { viewName: "Mine" });
    expect(renamed.status).toBe(303);
    expect(await stored()).toMatchObject({ name: "Mine", query: { type: "question" } });
    expect(renamed.headers.get("location")).toContain("type=question");
  });

  it("keeps them also if a thread of the view was opened after that change", async () => {
    const thread = await sendFeedback(service, team.app.key, { type: "bug" });
    const page = await openView(maria);
    await saveFilters(otto, { type: "question" });
    const link = linkIn(page, new RegExp(`href="([^"]*)" id="thread-${thread}"`));
    expect((await save(maria, await maria.open(link), { viewName: "Mine" })).status).toBe(303);
    expect(await stored()).toMatchObject({ name: "Mine", query: { type: "question" } });
  });

  it("shows the filters that the other one saved before it replaces them", async () => {
    const page = await filtered(maria, await openView(maria), { status: "open" });
    await saveFilters(otto, { type: "question", snoozed: "false" });
    const refused = await save(maria, page);
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).toContain(
      "The list of filters was changed by somebody else since you opened this page",
    );
    expect(refused.text).toMatch(
      /<textarea[^>]*aria-label="Saved text of The list of filters">\s*Type: Question\s*Snooze: Not snoozed\s*</,
    );
    expect(await stored()).toMatchObject({ query: { type: "question", snoozed: "false" } });
    expect((await save(maria, refused)).status).toBe(303);
    expect((await stored()).query).toMatchObject({ type: "bug", status: "open" });
    expect((await stored()).query).not.toHaveProperty("snoozed");
  });

  it("shows them also if the list was filtered after that change", async () => {
    const page = await openView(maria);
    await saveFilters(otto, { type: "question" });
    const refused = await save(maria, await filtered(maria, page, { status: "open" }));
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).toContain("The list of filters was changed by somebody else");
    expect(await stored()).toMatchObject({ query: { type: "question" } });
  });

  it("shows the list of the saved filters if the form was refused and its person changed no filter", async () => {
    const page = await openView(maria);
    await saveFilters(otto, { type: "question" });
    const refused = await save(maria, page, { viewName: " " });
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).not.toContain("was changed by somebody else");
    expect(fieldsOf(formOf(refused, action())).list).toContain("type=question");
    expect((await save(maria, refused, { viewName: "Mine" })).status).toBe(303);
    expect(await stored()).toMatchObject({ name: "Mine", query: { type: "question" } });
  });

  it("shows a refused form without the popover, which is closed on a narrow screen", async () => {
    const page = await openView(maria);
    const tagOf = ({ text }: Answer) => /<nav [^>]*id="views"[^>]*>/.exec(text)?.[0];
    expect(tagOf(page)).toContain("popover");
    expect(tagOf(await save(maria, page, { viewName: " " }))).not.toContain("popover");
  });

  it("is saved twice with the same filters without a refusal", async () => {
    const page = await filtered(maria, await openView(maria), { status: "open" });
    await saveFilters(otto, { status: "open" });
    expect((await save(maria, page)).status).toBe(303);
    expect(await stored()).toMatchObject({ query: { type: "bug", status: "open" } });
  });

  it("gets the filters of the list if its page was opened without the version of the filters", async () => {
    const page = await maria.open(`${inbox}?status=open&saved=${view}`);
    expect(readingOf(page)).toContain("“Save view” also saves the current filters of the list.");
    expect((await save(maria, page)).status).toBe(303);
    expect((await stored()).query).toMatchObject({ status: "open" });
  });

  it("keeps the filters that this version does not know if only its name is changed", async () => {
    const unknown = JSON.stringify({ type: "bug", mood: "angry" });
    await service.deps.database.write((tx) =>
      tx.run("UPDATE saved_views SET query = ? WHERE id = ?", unknown, view),
    );
    expect((await save(maria, await openView(maria), { viewName: "Mine" })).status).toBe(303);
    expect(await stored()).toMatchObject({ name: "Mine", unknownFilters: ["mood"] });
  });
});
