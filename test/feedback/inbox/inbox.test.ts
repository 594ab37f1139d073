import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  fillThreads,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("the inbox", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const inbox = (query = "", appId = world.app.id) => owner.open(`/console/feedback/${appId}${query}`);
  /** The address of the thread before (`[`) or after (`]`) the open one. */
  const stepOf = (text: string, key: "[" | "]") =>
    plain(
      /href="([^"]*)"/.exec(
        text.split("<a ").find((part) => part.includes(`data-key="${key}"`)) ?? "",
      )?.[1] ?? "",
    );
  const linksOf = (text: string) =>
    [...text.matchAll(/class="to" href="[^"]*" id="thread-([^"]*)"/g)].map(([, id = ""]) => id);

  it("lists open threads, and marks those with a waiting proposal", async () => {
    const page = await inbox();
    expect(linksOf(page.text)).toContain(world.threadId);
    expect(readingOf(page)).toMatch(
      /It broke\. now Bug, Anonymous · An agent proposes: Mend it .* Plan waits/,
    );
  });

  it("shows how often a failure was reported", async () => {
    const report = { message: "Nightly failed", dedupeKey: "nightly" };
    await sendFeedback(service, world.app.key, report);
    await sendFeedback(service, world.app.key, report);
    expect(readingOf(await inbox())).toMatch(/Nightly failed now Bug, Anonymous ×2 reported 2 times/);
  });

  it("can be filtered by status and by type", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "Solved.", type: "question" });
    await world.call("PATCH", `/feedback/${id}`, { status: "resolved" });
    expect(readingOf(await inbox())).not.toContain("Solved.");
    expect(readingOf(await inbox("?status=resolved"))).toContain("Solved. now Question, Anonymous");
    expect(readingOf(await inbox("?status=all&type=question"))).toContain("Solved.");
    expect(readingOf(await inbox("?status=all&type=bug"))).not.toContain("Solved.");
  });

  it("is searched in every status, shows the count of each, and offers all statuses if one has no result", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "The aardvark is missing." });
    expect(readingOf(await inbox("?q=aardvark"))).toContain("The aardvark is missing.");
    await world.call("PATCH", `/feedback/${id}`, { status: "archived" });
    const page = await inbox("?q=aardvark&in=open");
    expect(readingOf(page)).toContain("All 1 Open 0 In progress 0 Resolved 0 Archived 1");
    expect(page.text).toContain("The <mark>aardvark</mark> is missing.");
    const open = await inbox("?q=aardvark&status=open");
    expect(readingOf(open)).toContain("Nothing matches");
    expect(open.text).toContain(`href="/console/feedback/${world.app.id}?status=all&amp;q=aardvark"`);
  });

  it("keeps its status filter if the form is sent without words", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "Long ago." });
    await world.call("PATCH", `/feedback/${id}`, { status: "archived" });
    expect(readingOf(await inbox("?in=status%3Darchived%26type%3Dbug&q="))).toContain("Long ago.");
    expect(readingOf(await inbox("?in=status%3Dopen%26type%3Dbug&q="))).not.toContain("Long ago.");
  });

  it("shows the text in which a search found its words, with the words marked", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "It is slow." });
    await world.call("POST", `/feedback/${id}/messages`, {
      direction: "note",
      body: "A Pangolin, opened offline.",
    });
    expect((await inbox("?q=pangolin+opened")).text).toContain(
      "<b>Note: </b><bdi>A <mark>Pangolin</mark>, <mark>opened</mark> offline.</bdi>",
    );
  });

  it("proposes an existing word for a mistyped one", async () => {
    await sendFeedback(service, world.app.key, { message: "Crème brûlée tastes of wombat." });
    const page = await inbox("?q=wombt");
    expect(readingOf(page)).toContain("Did you mean wombat ?");
    expect((await inbox("?q=brulle")).text).toContain("q=br%C3%BBl%C3%A9e");
  });

  it("shows one page at a time, each thread once, with a link to the page before", async () => {
    const app = await service.makeApp(world.owner);
    await fillThreads(
      service,
      app.id,
      Array.from({ length: 120 }, () => ({})),
    );
    const seen: (string | undefined)[] = [];
    let query: string | undefined = "";
    while (query !== undefined) {
      const { text } = await inbox(query, app.id);
      seen.push(...linksOf(text));
      expect(text.includes("Back to the newest")).toBe(query !== "");
      query = /href="[^"?]*(\?[^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
    }
    expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
  });

  it("keeps the filter in the link to the next page", async () => {
    const app = await service.makeApp(world.owner);
    const categories = Array.from({ length: 102 }, (_, at) => (at % 2 === 0 ? "bug" : "question"));
    await fillThreads(
      service,
      app.id,
      categories.map((category) => ({ category, subject: `A ${category}` })),
    );
    const first = await inbox("?status=all&type=question", app.id);
    const next = await owner.open(plain(/href="([^"]*)" rel="next"/.exec(first.text)?.[1] ?? ""));
    expect(linksOf(next.text)).toHaveLength(1);
    expect(readingOf(next)).toContain("A question");
  });

  it("says what it will contain if it is empty", async () => {
    const { id } = await service.makeApp(world.owner);
    expect(readingOf(await inbox("", id))).toContain(
      "Feedback that your app sends with its key arrives here.",
    );
  });

  it("says if feedback is turned off", async () => {
    const { id } = await service.makeApp(world.owner, { feedbackEnabled: false });
    expect(readingOf(await inbox("", id))).toContain("Feedback is turned off for this app.");
  });

  it("keeps filter and search in the links to a thread and back, and links the threads to each other", async () => {
    const ids: string[] = [];
    for (const message of ["Walk one.", "Walk two.", "Walk three."])
      ids.unshift(await sendFeedback(service, world.app.key, { message }));
    const list = await inbox("?status=open&q=walk");
    expect(linksOf(list.text)).toEqual(ids);
    const hrefs = [...list.text.matchAll(/class="to" href="([^"]*)"/g)].map(([, href = ""]) => plain(href));
    const page = await owner.open(hrefs[0] ?? "");
    expect(page.text).toContain(`href="/console/feedback/${world.app.id}?status=open&amp;q=walk"`);
    expect(readingOf(page)).toContain("1 of 3");
    const middle = await owner.open(stepOf(page.text, "]"));
    expect(middle.text).toContain(`data-opened="${ids[1]}"`);
    const path = `/console/feedback/${world.app.id}/${ids[1]}`;
    const resolved = await owner.send(middle, `${path}/edit`, { status: "resolved" });
    const after = await owner.open(resolved.headers.get("location") ?? "");
    expect([stepOf(after.text, "["), stepOf(after.text, "]")]).toEqual([hrefs[0], hrefs[2]]);
    expect(stepOf((await owner.open(stepOf(after.text, "]"))).text, "]")).toBe("");
  });

  it("still shows the thread if the address has an invalid filter", async () => {
    const page = await owner.open(
      `/console/feedback/${world.app.id}/${world.threadId}?list=status%3Dnone%26cursor%3Dx&at=-1`,
    );
    expect(page.status).toBe(200);
  });
});

describe("the root address of the server", () => {
  it("redirects a browser to the console, and answers 404 to an API client", async () => {
    const service = await startService();
    const page = await service.request("GET", "/", { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers.get("location")]).toEqual([302, `${service.baseUrl}/console`]);
    const json = await service.request("GET", "/", { headers: { accept: "application/json" } });
    expect([json.status, json.field("code")]).toEqual([404, "not_found"]);
    await service.stop();
  });

  it("decides by the qualities in the header Accept", async () => {
    const service = await startService();
    const statusOf = async (accept: string) =>
      (await service.request("GET", "/", { headers: { accept } })).status;
    const pages = [
      "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
      "application/json;q=0.5, TEXT/HTML",
      "text/*",
    ];
    const errors = ["*/*", "application/json, text/html;q=0.9", "text/html;q=0, */*", "text/plain", ""];
    for (const accept of pages) expect([accept, await statusOf(accept)]).toEqual([accept, 302]);
    for (const accept of errors) expect([accept, await statusOf(accept)]).toEqual([accept, 404]);
    await service.stop();
  });
});

const plain = (text: string): string => text.replaceAll("&amp;", "&");

/** The address of the link to the previous or next thread; empty if there is none. */
